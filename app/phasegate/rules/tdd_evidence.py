"""Deny locking the implementation summary in strict TDD mode without RED and GREEN evidence.

Labelled lines count, words do not: "required" contains red and "evergreen" green.
Whether the files they name exist is reported by the transition.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.call import ToolCall
from phasegate.core.evidence import LABELS, labelled_paths, tdd_mode
from phasegate.core.facts import Facts, LockFacts
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import NOT_APPLIED, PASS, Deny, Remedy, Verdict
from phasegate.core.workflow import Workflow


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:  # noqa: ARG001 (one shape for all rules)
    return [_judge(lock, policy.workflow) for lock in facts.locks] if facts.locks else ()


def _judge(lock: LockFacts, workflow: Workflow) -> Verdict:
    phase = workflow.by_artifact.get(lock.artifact or "")
    if phase is None or phase.evidence != "tdd" or lock.request.reopen or lock.text is None:
        return NOT_APPLIED
    if tdd_mode(lock.text) != "strict":
        return PASS
    lacking = [label for label in LABELS if not labelled_paths(lock.text, label)]
    if not lacking:
        return PASS
    return Deny(
        f"`{lock.artifact}` (phase {phase.number}) declares TDD mode strict, which needs RED and GREEN evidence; "
        f"missing: {', '.join(lacking)}",
        Remedy(
            "rewrite_command",
            "add the lines `RED: PATH` and `GREEN: PATH` for the test logs under `evidence/`, then lock again",
            artifact=lock.artifact,
            retryable=True,
        ),
    )


RULE = Rule("tdd-evidence", 60, "strict TDD can't be locked without RED and GREEN evidence", judge)
