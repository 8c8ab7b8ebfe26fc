"""Keep documentation phases to their documents.

While a run is in a phase that only documents, product files stay as they were tested,
and each memory plane is written in its own phase. A run that is finished, or between
phases, freezes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.call import Effect, ToolCall
from phasegate.core.facts import WRITING_EFFECTS, Facts, RunFacts, TargetFacts
from phasegate.core.ordering import pending_phase
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import NOT_APPLIED, PASS, Deny, Remedy, Verdict
from phasegate.core.workflow import Phase, Workflow
from phasegate.rules._wording import action_of, name_of, shown

_FILE_EFFECTS = WRITING_EFFECTS - {Effect.EXECUTE}


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:
    if facts.targets:
        return [_judge(target, facts.bound, policy) for target in facts.targets]
    if facts.extraction.effect in _FILE_EFFECTS:
        return (_judge_without_target(call, facts, policy.workflow),)
    return ()


def _judge_without_target(call: ToolCall, facts: Facts, workflow: Workflow) -> Verdict:
    phase = pending_phase(facts.bound, workflow) if facts.bound is not None else None
    if phase is None or not phase.keeps_out or facts.bound is None:
        return NOT_APPLIED
    return Deny(
        f"`{shown(call.tool)}` names no target and run `{facts.bound.run_id}` is in phase {phase.number}, "
        f"which limits what may be written (`{phase.artifact}`)",
        Remedy("rewrite_command", "name the file to write", artifact=phase.artifact, retryable=True),
    )


def _judge(facts: TargetFacts, bound: RunFacts | None, policy: Policy) -> Verdict:
    run = facts.run if facts.run is not None else bound
    if facts.rel is None or run is None:
        return NOT_APPLIED
    workflow = policy.workflow
    phase = pending_phase(run, workflow)
    if phase is None:
        return NOT_APPLIED
    plane = plane_of(facts.rel, workflow)
    if plane is not None:
        return _judge_plane(facts, run, phase, plane, policy)
    if phase.keeps_out == "product" and not (facts.run is run and facts.run_rel):
        return _deny(facts, run, phase, "only the run's own documents may be written")
    return PASS


def _judge_plane(facts: TargetFacts, run: RunFacts, phase: Phase, plane: str, policy: Policy) -> Verdict:
    if plane == phase.own_plane:
        return PASS
    frozen = policy.plane_freeze and plane == "memory"
    if phase.keeps_out or frozen:
        return _deny(facts, run, phase, f"the {plane} plane is not written in this phase")
    return PASS


def _deny(facts: TargetFacts, run: RunFacts, phase: Phase, why: str) -> Deny:
    return Deny(
        f"{action_of(facts)} `{name_of(facts)}` but run `{run.run_id}` is in phase {phase.number} "
        f"(`{phase.artifact}`): {why}",
        Remedy(
            "lock",
            f"finish and lock `{phase.artifact}` (`phasegate run lock {run.run_id} {phase.artifact}`), "
            "or reopen the phase that this change belongs to",
            artifact=phase.artifact,
            waiting_on=(phase.artifact,),
        ),
        facts.index,
    )


def plane_of(rel: str, workflow: Workflow) -> str | None:
    """Which memory plane *rel* (relative to the workspace) belongs to: only the real paths count."""
    layout = workflow.layout
    control, _, inner = rel.casefold().partition("/")
    if not inner or control != layout.control.casefold():
        return None
    for plane, name in layout.planes.items():
        folded = name.casefold()
        if inner == folded or (plane == "memory" and inner.startswith(folded + "/")):
            return plane
    return None


RULE = Rule(
    "documentation-phase", 70, "a documentation phase writes its own documents and its own plane", judge
)
