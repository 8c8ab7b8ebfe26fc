"""Lock an artifact: every gate in order, then header and lock receipt as one change."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from phasegate.core.header import lock_hash, read_seal
from phasegate.core.reading import PromotionReading, PromotionRequest
from phasegate.core.workflow import Phase, Workflow
from phasegate.errors import FileRefused, InvalidRequest, LockRefused, PhasegateError
from phasegate.files.directory import components
from phasegate.files.read import ARTIFACT_BYTES
from phasegate.workspace.closure import CLOSURE_CHECKS, ClosureCheck, close_run, refuse_closure
from phasegate.workspace.delegations import read_delegations
from phasegate.workspace.gates import LockAttempt, first_refusal
from phasegate.workspace.header_edit import sealed_text
from phasegate.workspace.lock_receipts import LockReceipt, fields_of, receipt_hash, render
from phasegate.workspace.lock_seals import seal_change
from phasegate.workspace.pending import Change, apply_changes
from phasegate.workspace.read_receipts import SIDECAR_LIMIT, VERSION, receipt_facts
from phasegate.workspace.run_state import read_state
from phasegate.workspace.site import HeldRun, Shown, Site, held_run

logger = logging.getLogger("phasegate")
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class LockOutcome:
    """A lock that was made. `receipt_hash` is None for an addendum, which gets no lock receipt.

    `documents` maps the memory documents that counted to their digests. `settled` is what
    closing the run has counted.
    """

    run_id: str
    artifact: str
    locked_at: str
    artifact_hash: str
    receipt_hash: str | None
    prerequisites: Mapping[str, str]
    previous_receipt_hash: str | None = None
    documents: tuple[tuple[str, str], ...] = ()
    settled: Shown = ()


def lock_artifact(
    site: Site, run_id: str | None, artifact: str, *, checks: tuple[ClosureCheck, ...] = CLOSURE_CHECKS
) -> LockOutcome:
    """Lock *artifact* of a run. Everything a gate grants on is read here, under the run lock.

    The lock of the last artifact closes the run: *checks* may refuse that, and what the
    run was shown is counted. Of several callers exactly one wins. Raises `LockRefused`
    with the refusing gate in `errors`, `ClosureRefused`, `InvalidRequest`, `RunNotFound`
    or `RunBusy`; nothing is changed then.
    """
    name = canonical_artifact(site.workflow, artifact)
    with held_run(site, run_id) as held:
        attempt = _attempt(site, held, name)
        refusal = first_refusal(attempt)
        if refusal is not None:
            facts = refusal.facts or ({},)
            raise LockRefused(
                refusal.reason,
                remedy=refusal.remedy,
                errors=[{"gate": refusal.gate, **fact} for fact in facts],
            )
        closes = name == site.workflow.artifacts[-1]
        if closes:
            refuse_closure(checks, held, attempt.state)
        outcome = _lock(site, held, attempt)
    return replace(outcome, settled=_settled(site, outcome.run_id)) if closes else outcome


def _settled(site: Site, run_id: str) -> Shown:
    """Count what the closed run was shown. The lock stands whatever comes of it: counting again is free."""
    if site.settle is None:
        return ()
    try:
        return site.settle(run_id, close_run(site, run_id, sealed_only=site.sealed_only).shown)
    except PhasegateError as problem:
        logger.warning("the memory shown in run %s was not counted: %s", run_id, problem.detail)
        return ()


def canonical_artifact(workflow: Workflow, artifact: str) -> str:
    """The artifact's plain name, or the path of an addendum inside the run; else `InvalidRequest`."""
    shown = artifact.strip()[:_SHOWN]
    try:
        parts = components(artifact.strip())
    except FileRefused as refusal:
        raise InvalidRequest(f"`{shown}` is no artifact: {refusal.detail}") from refusal
    name = "/".join(parts)
    is_addendum = len(parts) > 1 and parts[0] == workflow.layout.addenda and name.endswith(".md")
    if name not in workflow.by_artifact and not is_addendum:
        raise InvalidRequest(
            f"`{shown}` is neither one of the workflow's artifacts nor an addendum",
            remedy=f"name one of {', '.join(workflow.artifacts)}",
            errors=[{"loc": ["artifact"], "msg": "no artifact of the workflow"}],
        )
    return name


def _attempt(site: Site, held: HeldRun, name: str) -> LockAttempt:
    state = read_state(held.directory, held.run_id, site.workflow)
    phase = site.workflow.by_artifact.get(name)
    if phase is not None:
        text = state.texts.get(name)
        already = state.facts.artifacts[name].status == "LOCKED"
    else:
        text = _addendum_text(held, name)
        already = text is not None and read_seal(text).status == "LOCKED"
    return LockAttempt(
        artifact=name,
        phase=phase,
        text=text,
        already=already,
        state=state,
        workflow=site.workflow,
        templates=site.templates,
        delegations=read_delegations(held.directory, site.templates.delegations),
        promotion=_promotion(site, held, name, text),
        read_problem=_read_problem(site, held, phase) if phase is not None else "",
    )


def _read_problem(site: Site, held: HeldRun, phase: Phase) -> str:
    """Why *phase* does not count as entered, if the site asks for that."""
    if not site.entry_every_phase:
        return ""
    data = held.directory.read(site.workflow.layout.read_receipts, SIDECAR_LIMIT)
    found, defect = receipt_facts(
        data,
        run_id=held.run_id,
        artifacts=[other.artifact for other in site.workflow.phases if other.number == phase.number],
        key=site.key,
        plane_digest=site.plane_digest,
    )
    lowest = VERSION if site.sealed_only else 1
    if any(receipt.state == "valid" and receipt.version >= lowest for receipt in found.values()):
        return ""
    states = sorted({receipt.state for receipt in found.values()} - {"valid"})
    return defect or (
        f"its read receipt is {states[0]}" if states else "no read of memory is recorded for it"
    )


def _addendum_text(held: HeldRun, name: str) -> str | None:
    data = held.directory.read(name, ARTIFACT_BYTES)
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _promotion(site: Site, held: HeldRun, name: str, text: str | None) -> PromotionReading | None:
    """Asked only for the artifact of the phase that owns the memory plane."""
    phase = site.workflow.by_artifact.get(name)
    planes = site.workflow.layout.planes
    if text is None or phase is None or planes.get(phase.own_plane) != planes["memory"]:
        return None
    return site.promoted(PromotionRequest(held.run_id, text))


def _lock(site: Site, held: HeldRun, attempt: LockAttempt) -> LockOutcome:
    now = site.now()
    text = sealed_text(attempt.text or "", now)
    if read_seal(text).status != "LOCKED":
        raise LockRefused(
            f"the header of `{attempt.artifact}` can't carry a lock",
            remedy="give it a plain header block with a `Status` line",
            errors=[{"gate": "standard"}],
        )
    documents = attempt.promotion.documents if attempt.promotion else ()
    receipt = _receipt(site, held, attempt, text) if attempt.phase is not None else None
    changes = [Change(attempt.artifact, text.encode())]
    if receipt is not None and attempt.phase is not None:
        stem = f"{site.workflow.layout.locks}/{attempt.phase.stem}"
        changes.append(Change(stem + site.workflow.layout.lock_receipt_suffix, render(receipt)))
        if site.seal_locks:
            changes.append(seal_change(stem, held.run_id, render(receipt), documents, site.key))
    _still_promoted(site, held, attempt)
    apply_changes(held.directory, site.workflow.layout, held.run_id, site.key, changes)
    return LockOutcome(
        run_id=held.run_id,
        artifact=attempt.artifact,
        locked_at=now,
        artifact_hash=lock_hash(text),
        receipt_hash=receipt_hash(fields_of(receipt)) if receipt is not None else None,
        prerequisites=receipt.prerequisite_hashes if receipt is not None else {},
        previous_receipt_hash=receipt.previous_receipt_hash if receipt is not None else None,
        documents=documents,
    )


def _receipt(site: Site, held: HeldRun, attempt: LockAttempt, text: str) -> LockReceipt:
    name, state = attempt.artifact, attempt.state
    hashes = state.hashes
    earlier = site.workflow.artifacts[: site.workflow.position(name)]
    present = state.receipts.get(name)
    return LockReceipt(
        artifact=name,
        artifact_path=f"{site.root}/{site.workflow.runs_path}/{held.run_id}/{name}",
        artifact_hash=lock_hash(text),
        locked_at=read_seal(text).locked_at or "",
        prerequisite_hashes={other: digest for other in earlier if (digest := hashes[other]) is not None},
        previous_receipt_hash=present.receipt.receipt_hash if present and present.receipt else None,
    )


def _still_promoted(site: Site, held: HeldRun, attempt: LockAttempt) -> None:
    """The plane is not under the run lock: what the gate saw there must still hold at the last moment."""
    again = _promotion(site, held, attempt.artifact, attempt.text)
    if again != attempt.promotion:
        raise LockRefused(
            "a memory document that the lock relies on changed meanwhile",
            remedy="lock again",
            errors=[{"gate": "memory"}],
        )
