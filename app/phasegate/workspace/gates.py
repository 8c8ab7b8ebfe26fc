"""The gates of a lock, in their order. Each looks at values and says what is in the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from phasegate.core.ordering import lock_blockers
from phasegate.core.reading import PromotionReading
from phasegate.core.workflow import Phase, Workflow
from phasegate.workspace.delegations import Delegation
from phasegate.workspace.header_edit import hash_lines_outside_header
from phasegate.workspace.run_state import RunState
from phasegate.workspace.templates import RunTemplates


@dataclass(frozen=True, slots=True)
class LockAttempt:
    """Everything the gates look at, read under the run lock.

    `phase` is None for an addendum, which has no place in the order. `text` is None when
    the artifact is absent or no text. `already`: it is validly locked. `read_problem`:
    why the phase does not count as entered, where that is asked for.
    """

    artifact: str
    phase: Phase | None
    text: str | None
    already: bool
    state: RunState
    workflow: Workflow
    templates: RunTemplates
    delegations: tuple[Delegation, ...]
    promotion: PromotionReading | None
    read_problem: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a lock is refused. `facts` are values for the error's `errors` list."""

    gate: str
    reason: str
    remedy: str
    facts: tuple[dict[str, Any], ...] = ()


Gate = Callable[[LockAttempt], Refusal | None]


def first_refusal(attempt: LockAttempt) -> Refusal | None:
    """The first gate's objection."""
    return next((refusal for gate in GATES if (refusal := gate(attempt)) is not None), None)


def _exists(attempt: LockAttempt) -> Refusal | None:
    if attempt.text is not None:
        return None
    facts = attempt.state.facts.artifacts.get(attempt.artifact)
    why = f"can't be read: {facts.lacks}" if facts is not None and facts.lacks else "is not found"
    return Refusal("exists", f"`{attempt.artifact}` {why}", "write it first")


def _not_locked(attempt: LockAttempt) -> Refusal | None:
    if not attempt.already:
        return None
    return Refusal("not-locked", f"`{attempt.artifact}` is already LOCKED", "reopen it to change it")


def _order(attempt: LockAttempt) -> Refusal | None:
    if attempt.phase is None:
        return None
    blockers = lock_blockers(attempt.state.facts, attempt.workflow, attempt.artifact)
    if not blockers:
        return None
    listed = ", ".join(f"`{blocker.artifact}` is {blocker.status}" for blocker in blockers)
    return Refusal(
        "lock-order",
        f"`{attempt.artifact}` can't be locked before every earlier artifact: {listed}",
        f"lock `{blockers[0].artifact}` first",
        tuple({"artifact": blocker.artifact, "status": blocker.status} for blocker in blockers),
    )


def _entered(attempt: LockAttempt) -> Refusal | None:
    if not attempt.read_problem:
        return None
    run_id = attempt.state.facts.run_id
    return Refusal(
        "memory-read",
        f"`{attempt.artifact}` can't be locked: {attempt.read_problem}",
        f"enter the phase (`phasegate run enter {run_id} {attempt.artifact}`), then lock again",
    )


def _quiescence(attempt: LockAttempt) -> Refusal | None:
    waiting = [delegation.name for delegation in attempt.delegations if not delegation.answered]
    if not waiting:
        return None
    listed = ", ".join(f"`{name}`" for name in waiting)
    return Refusal(
        "quiescence",
        f"work handed to others has not come back: {listed}",
        "wait for the reply, or record one that says why there is none",
        tuple({"delegation": name} for name in waiting),
    )


def _promotion(attempt: LockAttempt) -> Refusal | None:
    if attempt.promotion is None or not attempt.promotion.problem:
        return None
    words = attempt.templates.memory_write
    layout = attempt.workflow.layout
    document = f"{layout.control}/{layout.planes['memory']}/{words.episodes}/{attempt.state.facts.run_id}.md"
    return Refusal(
        "memory",
        f"this run has put nothing into the project's memory: {attempt.promotion.problem}",
        f"write a document such as `{document}` whose `{words.field}` names this run, list it in the section "
        f"`## {words.section}`, then lock again",
    )


def _standard(attempt: LockAttempt) -> Refusal | None:
    text = attempt.text or ""
    found = list(attempt.templates.shortfalls(text, attempt.phase))
    if hash_lines_outside_header(text):
        found.append("a `LockHash` line stands outside its header, where no hash covers it")
    if not found:
        return None
    return Refusal(
        "standard",
        f"`{attempt.artifact}` is below its standard: {'; '.join(found)}",
        "finish it, then lock again",
        tuple({"failure": failure} for failure in found),
    )


GATES: tuple[Gate, ...] = (_exists, _not_locked, _order, _entered, _quiescence, _promotion, _standard)
