"""Deny writing an artifact ahead of its phase.

The judged run is the one that owns the target, so a newer decoy run changes nothing,
and a missing mandatory phase counts as the earliest pending one, so deleting it opens
nothing either.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.call import ToolCall
from phasegate.core.facts import CHANGING_OPS, Facts, RunFacts, TargetFacts
from phasegate.core.ordering import STATUS_WORDS, WriteLimit, write_limit
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import PASS, Deny, Remedy, Verdict
from phasegate.core.workflow import Workflow


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:  # noqa: ARG001 (one shape for all rules)
    if not facts.targets:
        return ()
    return [
        _judge(target, target.artifact, target.run, policy.workflow)
        for target in facts.targets
        if target.artifact is not None and target.run is not None and target.target.op in CHANGING_OPS
    ]


def _judge(facts: TargetFacts, artifact: str, run: RunFacts, workflow: Workflow) -> Verdict:
    number = workflow.by_artifact[artifact].number
    limit = write_limit(run, workflow)
    if number <= limit.number:
        return PASS
    reason = (
        f"`{artifact}` is phase {number} but the active phase of run `{run.run_id}` is "
        f"`{limit.artifact}` (phase {limit.number}), {STATUS_WORDS[limit.status]}"
    )
    return Deny(reason, _remedy(run, limit), facts.index)


def _remedy(run: RunFacts, limit: WriteLimit) -> Remedy:
    name = limit.artifact
    first = f"write `{name}` and lock it" if limit.status == "MISSING" else f"lock `{name}`"
    return Remedy(
        "lock",
        f"{first} (`phasegate run lock {run.run_id} {name}`), then write again",
        artifact=name,
        retryable=True,
        waiting_on=(name,),
    )


RULE = Rule("phase-order", 30, "an artifact can't be written before every earlier phase is locked", judge)
