"""Everything a decision may look at, already read; and what has to be read for it.

`facts_needed` keeps ordinary calls free: a product write with no bound run needs
nothing but the policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from phasegate.core.call import (
    Effect,
    EnterRequest,
    Extraction,
    LockRequest,
    OpaqueReason,
    ToolCall,
    WriteTarget,
)
from phasegate.core.header import claims_lock
from phasegate.core.values import value

if TYPE_CHECKING:
    from phasegate.core.policy import Policy

ArtifactStatus = Literal["MISSING", "DRAFT", "STALE_LOCK", "LOCKED"]
ReceiptState = Literal["valid", "stale", "damaged", "forged"]


@value(frozen=True, slots=True)
class ArtifactFacts:
    """One of the workflow's artifacts in one run.

    `status` is the strong meaning: LOCKED needs a valid header, hash *and* lock receipt.
    `sealed` is the weak one (valid header and hash): protected from writes. `lacks`
    says which half is missing when the two differ or the lock is stale.
    """

    name: str
    status: ArtifactStatus
    sealed: bool = False
    lacks: str = ""


@value(frozen=True, slots=True)
class ReadReceiptFacts:
    """The newest read receipt of one phase. `version` 1 or 2."""

    phase: str
    state: ReceiptState
    version: int = 1


@value(frozen=True, slots=True)
class RunFacts:
    """One run directory. `artifacts` holds all of the workflow's artifacts, absent ones as MISSING.

    `read_receipts` is empty unless they were asked for; `read_receipts_defect` says why
    the file as a whole can't be believed (`not JSON`, `over 1 MiB`, ...). `derived` keeps
    what `core.ordering` works out of the artifacts: a run is judged far more often than
    it changes.
    """

    run_id: str
    exists: bool
    artifacts: Mapping[str, ArtifactFacts]
    read_receipts: Mapping[str, ReadReceiptFacts] = field(default_factory=dict)
    read_receipts_defect: str = ""
    derived: dict[str, Any] = field(init=False, default_factory=dict, compare=False, repr=False)


@value(frozen=True, slots=True)
class TargetFacts:
    """Where one target lies and what is there.

    `rel` is relative to the owning served workspace's root, in the spelling of the disk;
    None when the target is outside every served workspace. `run_rel` is relative to the
    run directory ("" for the directory itself). `artifact` is the workflow artifact that
    the target *is*, by name or by file identity (a hard link, another letter case).
    `sealed`: the file carries a valid lock header and hash. `text` is its present text,
    read only when a change has to be applied to it. `covers_sealed` and `covers_guarded`
    list existing files below a recursive target, relative to the workspace.
    `carries_hook`: a runtime's configuration file that holds our hook entry.
    """

    target: WriteTarget
    index: int
    workspace: str | None = None
    rel: str | None = None
    run: RunFacts | None = None
    run_rel: str | None = None
    artifact: str | None = None
    sealed: bool = False
    text: str | None = None
    covers_sealed: tuple[str, ...] = ()
    covers_guarded: tuple[str, ...] = ()
    carries_hook: bool = False


@value(frozen=True, slots=True)
class LockFacts:
    """One lock request, with its run and artifact worked out.

    `run_problem`: why the request's own run id can't be used (the judged run is then the
    fallback). `artifact` is the canonical name or confined relative path; None when
    none was given; `artifact_problem` says why it can't be used. `text` is the
    artifact's present text, None when it is absent or unreadable. `evidence` tells for
    each path named as evidence whether it is a non-empty regular file of the run.
    """

    request: LockRequest
    run: RunFacts | None
    artifact: str | None = None
    artifact_problem: str = ""
    run_problem: str = ""
    text: str | None = None
    evidence: Mapping[str, bool] = field(default_factory=dict)


@value(frozen=True, slots=True)
class EnterFacts:
    """One phase-entry request with its run."""

    request: EnterRequest
    run: RunFacts | None
    run_problem: str = ""


@value(frozen=True, slots=True)
class OpaqueFacts:
    """What an opaque part could reach. Paths are relative to the workspace.

    `words`: protected places its literal words name. `cwds`: protected places it would
    run in. `destroys`: protected places below a directory that a known delete or move
    verb works on; `destroys_sealed`: locked files below a whole-tree git operation.
    """

    reason: OpaqueReason
    words: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()
    destroys: tuple[str, ...] = ()
    destroys_sealed: tuple[str, ...] = ()


@value(frozen=True, slots=True)
class Facts:
    """The evidence for one call.

    `workspace` is a served name, `root` its absolute real path (never recorded).
    `bound` is the run that the session is bound to, read only when a rule may look.
    `run_id_problem` says why the request's `run_id` is malformed. `guard_paths` are
    absolute paths of the service's own files with what each is. `unreadable` lists
    evidence that exists and could not be read.
    """

    workspace: str
    root: str
    extraction: Extraction
    targets: tuple[TargetFacts, ...] = ()
    opaque: tuple[OpaqueFacts, ...] = ()
    locks: tuple[LockFacts, ...] = ()
    enters: tuple[EnterFacts, ...] = ()
    bound: RunFacts | None = None
    run_id_problem: str = ""
    guard_paths: tuple[tuple[str, str], ...] = ()
    unreadable: tuple[str, ...] = ()


class FactsNeeded(NamedTuple):
    """What to read, and no more.

    `bound`: the bound run's artifacts. `newest`: the newest run, for lock and entry
    calls of an unbound session (also the fallback for a run id that can't be used). `artifacts`: indexes of targets whose run's artifacts are
    needed; `receipts`: of those, whose run's read receipts too. `texts`: indexes of
    targets whose present text is needed. `below`: indexes of recursive targets.
    `locks`, `opaque`: whether those requests or parts need facts.
    """

    bound: bool = False
    newest: bool = False
    artifacts: frozenset[int] = frozenset()
    receipts: frozenset[int] = frozenset()
    texts: frozenset[int] = frozenset()
    below: frozenset[int] = frozenset()
    locks: bool = False
    opaque: bool = False


CHANGING_OPS = frozenset({"write", "append", "truncate", "move_to"})
WRITING_EFFECTS = frozenset({Effect.WRITE, Effect.DELETE, Effect.MOVE, Effect.EXECUTE})


class Place(NamedTuple):
    """Where a target lies, by name alone. Fields as in `TargetFacts`."""

    workspace: str | None = None
    rel: str | None = None
    run_id: str | None = None
    run_rel: str | None = None
    artifact: str | None = None


def facts_needed(
    call: ToolCall, extraction: Extraction, places: Sequence[Place], policy: Policy
) -> FactsNeeded:
    """What has to be read to decide *call*. *places* is aligned with the extraction's targets."""
    inside: list[int] = []
    receipts: list[int] = []
    texts: list[int] = []
    below: list[int] = []
    gated = policy.workflow.artifacts if policy.entry_every_phase else policy.workflow.first_artifacts
    for index, (target, place) in enumerate(zip(extraction.targets, places, strict=True)):
        if place.run_id is not None:
            inside.append(index)
            if place.artifact in gated:
                receipts.append(index)
            if _needs_text(target):
                texts.append(index)
        if target.recursive:
            below.append(index)
    requests = bool(extraction.locks or extraction.enters)
    return FactsNeeded(
        call.run_id is not None and _bound_run_matters(extraction, places),
        requests and call.run_id is None,
        frozenset(inside),
        frozenset(receipts),
        frozenset(texts),
        frozenset(below),
        requests,
        bool(extraction.opaque),
    )


def _bound_run_matters(extraction: Extraction, places: Sequence[Place]) -> bool:
    if extraction.locks or extraction.enters:
        return True
    if extraction.effect not in WRITING_EFFECTS:
        return False
    if extraction.effect is Effect.EXECUTE:
        return any(place.rel is not None for place in places)
    return True


def _needs_text(target: WriteTarget) -> bool:
    """Whether the result of the change is looked at: only a change that may touch a lock header is."""
    change = target.change
    if change is None:
        return False
    if change.kind == "replace":
        return claims_lock(change.text)
    return change.kind in ("edit", "append") or "LOCKED" in change.text
