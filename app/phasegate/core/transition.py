"""The report on a lock: what the artifact still lacks. It never changes a verdict."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.core.evidence import (
    LABELS,
    QA_MODE,
    gives_rationale,
    labelled_paths,
    signed_off,
    tdd_mode,
)
from phasegate.core.facts import LockFacts
from phasegate.core.header import text_field
from phasegate.core.ordering import lock_blockers
from phasegate.core.verdict import TransitionReport
from phasegate.core.workflow import Phase, Workflow

_PEOPLE = ("human", "hybrid")


def transition_report(lock: LockFacts, workflow: Workflow) -> TransitionReport | None:
    """The report, or None when the request is a reopen or names no artifact or no run."""
    if lock.request.reopen or lock.run is None or not lock.artifact or lock.artifact_problem:
        return None
    failures = tuple(_failures(lock, lock.artifact, workflow))
    return TransitionReport(not failures, failures)


def _failures(lock: LockFacts, artifact: str, workflow: Workflow) -> Iterator[str]:
    if lock.text is None:
        yield f"`{artifact}` is absent or can't be read"
        return
    phase = workflow.by_artifact.get(artifact)
    if phase is not None and lock.run is not None:
        for blocker in lock_blockers(lock.run, workflow, artifact):
            yield f"`{blocker.artifact}` is {blocker.status}"
        yield from _evidence(lock, phase, lock.text)
        if phase.audited:
            yield from _audit(lock.text, workflow)
    if workflow.transition.every not in lock.text:
        yield f"the section `{workflow.transition.every}` is missing"


def _audit(text: str, workflow: Workflow) -> Iterator[str]:
    words = workflow.transition
    if words.audit_gate not in text:
        yield f"the gate `{words.audit_gate}` is missing"
    if words.completion not in text:
        yield f"the section `{words.completion}` is missing"
    if not any(phrase in text for phrase in words.delegation):
        yield f"no delegation is recorded (one of {', '.join(f'`{phrase}`' for phrase in words.delegation)})"


def _evidence(lock: LockFacts, phase: Phase, text: str) -> Iterator[str]:
    if phase.evidence == "tdd":
        yield from _tdd(lock, text)
    if phase.evidence == "qa":
        yield from _qa(text)


def _tdd(lock: LockFacts, text: str) -> Iterator[str]:
    mode = tdd_mode(text)
    if mode == "strict":
        for label in LABELS:
            paths = labelled_paths(text, label)
            if not paths:
                yield f"no {label} evidence is named"
            for path in paths:
                if not lock.evidence.get(path, False):
                    yield f"the {label} evidence `{path}` is not a non-empty file of the run"
    elif mode == "pragmatic":
        if not gives_rationale(text):
            yield "pragmatic TDD needs a rationale"
    else:
        yield "no TDD mode is declared"


def _qa(text: str) -> Iterator[str]:
    mode = text_field(text, QA_MODE)
    if not mode:
        yield "no QA execution mode is declared"
    elif mode.casefold() in _PEOPLE and not signed_off(text):
        yield f"QA mode `{mode}` needs a person's sign-off"
