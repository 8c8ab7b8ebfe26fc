"""Keep documentation phases to their documents.

While a run is in a phase that only documents, product files stay as they were tested,
and each memory plane is written in its own phase. A run that is finished, or between
phases, freezes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.core.call import Effect, ToolCall
from phasegate.core.facts import WRITING_EFFECTS, Facts, RunFacts, TargetFacts
from phasegate.core.ordering import pending_phase
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import Deny, Pass, Remedy, Verdict
from phasegate.core.workflow import Phase, Workflow
from phasegate.rules._wording import action_of, name_of, shown

_FILE_EFFECTS = WRITING_EFFECTS - {Effect.EXECUTE}


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterator[Verdict]:
    if facts.extraction.effect in _FILE_EFFECTS and not facts.targets:
        yield _judge_without_target(call, facts, policy.workflow)
    for target in facts.targets:
        run = target.run if target.run is not None else facts.bound
        if target.rel is None or run is None:
            yield Pass(applied=False)
        else:
            yield _judge(target, run, policy)


def _judge_without_target(call: ToolCall, facts: Facts, workflow: Workflow) -> Verdict:
    phase = pending_phase(facts.bound, workflow) if facts.bound is not None else None
    if phase is None or not phase.keeps_out or facts.bound is None:
        return Pass(applied=False)
    return Deny(
        f"`{shown(call.tool)}` names no target and run `{facts.bound.run_id}` is in phase {phase.number}, "
        f"which limits what may be written (`{phase.artifact}`)",
        Remedy("rewrite_command", "name the file to write", artifact=phase.artifact, retryable=True),
    )


def _judge(facts: TargetFacts, run: RunFacts, policy: Policy) -> Verdict:
    workflow = policy.workflow
    phase = pending_phase(run, workflow)
    if phase is None:
        return Pass(applied=False)
    plane = plane_of(facts.rel or "", workflow)
    if plane is not None:
        return _judge_plane(facts, run, phase, plane, policy)
    if phase.keeps_out == "product" and not (facts.run is run and facts.run_rel):
        return _deny(facts, run, phase, "only the run's own documents may be written")
    return Pass()


def _judge_plane(facts: TargetFacts, run: RunFacts, phase: Phase, plane: str, policy: Policy) -> Verdict:
    if plane == phase.own_plane:
        return Pass()
    frozen = policy.plane_freeze and plane == "memory"
    if phase.keeps_out or frozen:
        return _deny(facts, run, phase, f"the {plane} plane is not written in this phase")
    return Pass()


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
    folded = rel.casefold()
    for plane, name in workflow.layout.planes.items():
        path = f"{workflow.layout.control}/{name}".casefold()
        if folded == path or (plane == "memory" and folded.startswith(path + "/")):
            return plane
    return None


RULE = Rule(
    "documentation-phase", 70, "a documentation phase writes its own documents and its own plane", judge
)
