"""What order asks of a run: the active artifact, what blocks a lock, how far writing may go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

from phasegate.core.facts import RunFacts
from phasegate.core.verdict import Blocker
from phasegate.core.workflow import Phase, Workflow

T = TypeVar("T")

STATUS_WORDS = {
    "MISSING": "missing",
    "DRAFT": "still a draft",
    "STALE_LOCK": "no longer validly locked",
    "LOCKED": "locked",
}


_PENDING = ("DRAFT", "STALE_LOCK")


@dataclass(frozen=True, slots=True)
class WriteLimit:
    """The highest phase number that may be written, and the artifact that sets it."""

    number: int
    artifact: str
    status: str


def _once(work: Callable[[RunFacts, Workflow], T]) -> Callable[[RunFacts, Workflow], T]:
    """Keep what *work* finds with the run that it was found from."""
    name = work.__name__

    @wraps(work)
    def look(run: RunFacts, workflow: Workflow) -> T:
        known = run.derived.get(name)
        if known is None or known[0] is not workflow:
            known = run.derived[name] = (workflow, work(run, workflow))
        found: T = known[1]
        return found

    return look


@_once
def active_artifact(run: RunFacts, workflow: Workflow) -> str | None:
    """The present artifact of the lowest phase that is not locked; if all are locked, the last one."""
    last: str | None = None
    for phase in workflow.phases:
        status = _status(run, phase)
        if status == "LOCKED":
            last = phase.artifact
        elif status != "MISSING":
            return phase.artifact
    return last


@_once
def pending_phase(run: RunFacts, workflow: Workflow) -> Phase | None:
    """The lowest phase that is present and not locked; None for a finished or parked run."""
    artifacts = run.artifacts
    for phase in workflow.phases:
        facts = artifacts.get(phase.artifact)
        if facts is not None and facts.status in _PENDING:
            return phase
    return None


def lock_blockers(run: RunFacts, workflow: Workflow, artifact: str) -> tuple[Blocker, ...]:
    """Earlier artifacts that are present and not locked, or mandatory and missing, in sequence order."""
    found: list[Blocker] = []
    for phase in workflow.phases[: workflow.position(artifact)]:
        status = _status(run, phase)
        if status != "LOCKED" and (status != "MISSING" or phase.mandatory):
            found.append(Blocker(phase.artifact, status))
    return tuple(found)


def next_legal_artifact(run: RunFacts, workflow: Workflow) -> str | None:
    """The first artifact that is neither locked nor an absent optional one, if nothing blocks it."""
    for phase in workflow.phases:
        status = _status(run, phase)
        if status == "LOCKED" or (status == "MISSING" and not phase.mandatory):
            continue
        return None if lock_blockers(run, workflow, phase.artifact) else phase.artifact
    return None


@_once
def write_limit(run: RunFacts, workflow: Workflow) -> WriteLimit:
    """
    How far the run may be written.

    While something present is not locked: the lower of its phase and the first missing
    mandatory phase, so that deleting an early artifact opens nothing. When everything
    present is locked: the next legal phase.
    """
    active = pending_phase(run, workflow)
    missing = next((p for p in workflow.phases if p.mandatory and _status(run, p) == "MISSING"), None)
    candidates = [phase for phase in (active, missing) if phase is not None]
    if not candidates:
        last = workflow.phases[-1]
        return WriteLimit(last.number, last.artifact, _status(run, last))
    limit = min(candidates, key=lambda phase: (phase.number, phase is missing))
    return WriteLimit(limit.number, limit.artifact, _status(run, limit))


def _status(run: RunFacts, phase: Phase) -> str:
    facts = run.artifacts.get(phase.artifact)
    return facts.status if facts is not None else "MISSING"
