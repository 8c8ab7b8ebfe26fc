"""Deny edits to a locked file of a run.

A lock records the hash of what was approved; editing in place would leave the
approval pointing at text nobody approved. Corrections go in an addendum, or the
artifact is reopened. The lock receipt is not asked for here: a lock whose receipt was
lost is still protected.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.call import ToolCall
from phasegate.core.facts import Facts, TargetFacts
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import NOT_APPLIED, PASS, Deny, Remedy, Verdict
from phasegate.core.workflow import Workflow
from phasegate.rules._wording import ADDENDUM_HINT, action_of, in_run, name_of, shown, sweeps


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:
    del call  # one shape for all rules
    return [_judge(target, policy.workflow) for target in facts.targets] if facts.targets else ()


def _judge(target: TargetFacts, workflow: Workflow) -> Verdict:
    if target.sealed:
        return _deny(target)
    if target.covers_sealed and sweeps(target, workflow):
        return _deny_below(target)
    return PASS if target.run is not None else NOT_APPLIED


def _deny(facts: TargetFacts) -> Deny:
    name = name_of(facts)
    return Deny(
        f"{action_of(facts)} `{name}`{in_run(facts)}, which is LOCKED", _remedy(facts, name), facts.index
    )


def _deny_below(facts: TargetFacts) -> Deny:
    first = shown(facts.covers_sealed[0])
    more = len(facts.covers_sealed) - 1
    tail = f" and {more} more" if more else ""
    return Deny(
        f"{action_of(facts)} `{name_of(facts)}`, which holds `{first}`{tail}, LOCKED",
        Remedy("ask_person", "name only what has to go; a locked artifact has to be reopened first"),
        facts.index,
    )


def _remedy(facts: TargetFacts, name: str) -> Remedy:
    run = facts.run.run_id if facts.run is not None else "RUN"
    return Remedy(
        "reopen",
        f"reopen `{name}` (`phasegate run reopen {run} {name} --reason WHY`), {ADDENDUM_HINT}",
        artifact=facts.artifact,
        waiting_on=(name,),
    )


RULE = Rule("locked-write", 20, "a locked file of a run can't be changed, moved or deleted", judge)
