"""Deny locking the implementation summary in strict TDD mode without RED and GREEN evidence.

Labelled lines count, words do not: "required" contains red and "evergreen" green.
Whether the files they name exist is reported by the transition.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.core.call import ToolCall
from phasegate.core.evidence import LABELS, labelled_paths, tdd_mode
from phasegate.core.facts import Facts, LockFacts
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import Deny, Pass, Remedy, Verdict


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterator[Verdict]:  # noqa: ARG001 (one shape for all rules)
    for lock in facts.locks:
        phase = policy.workflow.by_artifact.get(lock.artifact or "")
        if phase is None or phase.evidence != "tdd" or lock.request.reopen or lock.text is None:
            yield Pass(applied=False)
        else:
            yield _judge(lock, lock.text, phase.number)


def _judge(lock: LockFacts, text: str, number: int) -> Verdict:
    if tdd_mode(text) != "strict":
        return Pass()
    lacking = [label for label in LABELS if not labelled_paths(text, label)]
    if not lacking:
        return Pass()
    return Deny(
        f"`{lock.artifact}` (phase {number}) declares TDD mode strict, which needs RED and GREEN evidence; "
        f"missing: {', '.join(lacking)}",
        Remedy(
            "rewrite_command",
            "add the lines `RED: PATH` and `GREEN: PATH` for the test logs under `evidence/`, then lock again",
            artifact=lock.artifact,
            retryable=True,
        ),
    )


RULE = Rule("tdd-evidence", 60, "strict TDD can't be locked without RED and GREEN evidence", judge)
