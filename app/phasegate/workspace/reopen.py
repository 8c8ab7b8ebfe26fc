"""Reopen a locked artifact: back to draft, and everything that rested on it is no longer locked."""

from __future__ import annotations

from dataclasses import dataclass

from phasegate.core.header import claims_lock
from phasegate.core.workflow import Phase
from phasegate.errors import InvalidRequest, LockRefused
from phasegate.files.read import ARTIFACT_BYTES
from phasegate.workspace.header_edit import draft_text
from phasegate.workspace.lock_seals import SEAL_SUFFIX
from phasegate.workspace.locks import canonical_artifact
from phasegate.workspace.pending import Change, apply_changes
from phasegate.workspace.read_receipts import SIDECAR_LIMIT
from phasegate.workspace.receipt_book import drop_receipts
from phasegate.workspace.released import released_change
from phasegate.workspace.run_state import RunState, read_state
from phasegate.workspace.site import HeldRun, Site, held_run

MAX_REASON = 2_000


@dataclass(frozen=True, slots=True)
class ReopenOutcome:
    """`stale`: later artifacts that no longer count as locked. `forgotten`: phases to be entered again."""

    run_id: str
    artifact: str
    reason: str
    stale: tuple[str, ...]
    forgotten: tuple[str, ...]


def reopen_artifact(site: Site, run_id: str | None, artifact: str, reason: str) -> ReopenOutcome:
    """Reopen *artifact*; needs no prerequisites. *reason* is for the record.

    The lock receipts of the artifact and of every later one go, so that nothing which
    was locked on its old text still counts as locked; their texts keep their bytes and
    stay protected until they are locked again or reopened themselves. The read receipts
    of its phase and of every later one go too: memory is read again before writing.
    Raises `LockRefused` when it is not locked, `InvalidRequest`, `RunNotFound`, `RunBusy`.
    """
    if not reason.strip() or len(reason) > MAX_REASON:
        raise InvalidRequest(
            f"a reopen needs a reason of at most {MAX_REASON} characters",
            errors=[{"loc": ["reason"], "msg": "missing or too long"}],
        )
    name = canonical_artifact(site.workflow, artifact)
    with held_run(site, run_id) as held:
        state = read_state(held.directory, held.run_id, site.workflow)
        text = _text(held, name)
        if not claims_lock(text):
            raise LockRefused(
                f"`{name}` is not locked", remedy="write it as it is", errors=[{"gate": "reopen"}]
            )
        stale, forgotten, changes = _consequences(site, held, state, name)
        changes.append(Change(name, draft_text(text).encode()))
        apply_changes(held.directory, site.workflow.layout, held.run_id, site.key, changes)
    return ReopenOutcome(held.run_id, name, reason.strip(), stale, forgotten)


def _text(held: HeldRun, name: str) -> str:
    data = held.directory.read(name, ARTIFACT_BYTES)
    if data is None:
        raise LockRefused(f"`{name}` is not found", errors=[{"gate": "exists"}])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LockRefused(f"`{name}` is not valid UTF-8", errors=[{"gate": "exists"}]) from error


def _consequences(
    site: Site, held: HeldRun, state: RunState, name: str
) -> tuple[tuple[str, ...], tuple[str, ...], list[Change]]:
    """Later artifacts that go stale, phases whose reads are forgotten, and the changes for both.

    Lock receipts go first: a process killed anywhere leaves too little locked, not too much.
    """
    if name not in site.workflow.by_artifact:
        return (), (), []
    layout = site.workflow.layout
    position = site.workflow.position(name)
    later = site.workflow.phases[position + 1 :]
    stale = tuple(
        phase.artifact for phase in later if state.facts.artifacts[phase.artifact].status == "LOCKED"
    )
    changes: list[Change] = []
    for phase in (*reversed(later), site.workflow.phases[position]):
        if phase.artifact in state.receipts:
            changes.extend(_receipt_removals(site, held, phase))
    number = site.workflow.phases[position].number
    again = tuple(phase.artifact for phase in site.workflow.phases if phase.number >= number)
    released = {
        other: digest
        for other in (name, *stale)
        if state.facts.artifacts[other].sealed and (digest := state.hashes[other]) is not None
    }
    changes.insert(0, released_change(held.directory, layout, held.run_id, site.key, released))
    sidecar = drop_receipts(held.directory.read(layout.read_receipts, SIDECAR_LIMIT), again)
    if sidecar is not None:
        changes.append(Change(layout.read_receipts, sidecar))
    return stale, again if sidecar is not None else (), changes


def _receipt_removals(site: Site, held: HeldRun, phase: Phase) -> list[Change]:
    layout = site.workflow.layout
    stem = f"{layout.locks}/{phase.stem}"
    removals = [Change(stem + layout.lock_receipt_suffix, None)]
    if held.directory.status(stem + SEAL_SUFFIX) is not None:
        removals.append(Change(stem + SEAL_SUFFIX, None))
    return removals
