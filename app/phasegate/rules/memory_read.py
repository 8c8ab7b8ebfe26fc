"""Deny writing requirements before the project's memory was read.

Phase entry records the read. An empty memory plane is a normal read, so a new
repository is never stuck. A receipt of either first-phase artifact opens both.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.call import ToolCall
from phasegate.core.facts import CHANGING_OPS, Facts, ReadReceiptFacts, RunFacts, TargetFacts
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import PASS, Deny, Verdict
from phasegate.core.workflow import Phase
from phasegate.rules._wording import enter_remedy

_STATES = {
    "stale": "memory has changed since it was read",
    "damaged": "its read receipt is damaged",
    "forged": "its read receipt was not written by the guard",
}


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:  # noqa: ARG001 (one shape for all rules)
    if not facts.targets:
        return ()
    gated = policy.workflow.artifacts if policy.entry_every_phase else policy.workflow.first_artifacts
    return [
        _judge(target, target.run, policy)
        for target in facts.targets
        if target.artifact in gated and target.run is not None and target.target.op in CHANGING_OPS
    ]


def _judge(facts: TargetFacts, run: RunFacts, policy: Policy) -> Verdict:
    phase = policy.workflow.by_artifact[facts.artifact or ""]
    if facts.sealed:
        return PASS
    siblings = [p.artifact for p in policy.workflow.phases if p.number == phase.number]
    found = [run.read_receipts[name] for name in siblings if name in run.read_receipts]
    if any(_opens(receipt, policy) for receipt in found):
        return PASS
    why = next((_STATES[receipt.state] for receipt in found if receipt.state != "valid"), None)
    if why is None and found:
        why = "its read receipt carries no seal of the guard, and only sealed ones are accepted"
    cause = why or run.read_receipts_defect or "no read of the project's memory is recorded"
    return Deny(_reason(phase, run, cause, policy), enter_remedy(run.run_id), facts.index)


def _opens(receipt: ReadReceiptFacts, policy: Policy) -> bool:
    """A version 1 receipt is one that anybody could have written; a policy may refuse it."""
    return receipt.state == "valid" and (receipt.version > 1 or policy.read_receipts == "accept-v1")


def _reason(phase: Phase, run: RunFacts, cause: str, policy: Policy) -> str:
    tools = " or ".join(f"`{tool}`" for tool in sorted(policy.workflow.enter_tools))
    return (
        f"`{phase.artifact}` (phase {phase.number}) of run `{run.run_id}` can't be written yet: {cause} "
        f"(`phasegate run enter {run.run_id}`, or the {tools} tool; an empty memory plane is fine)"
    )


RULE = Rule("memory-read", 40, "requirements can't be written before the project's memory was read", judge)
