"""Deny locking an artifact while an earlier one is not locked.

A missing mandatory phase blocks exactly as an unlocked one does. Reopening needs no
prerequisites. A run id that can't be used denies instead of falling back in silence.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.call import ToolCall
from phasegate.core.facts import Facts, LockFacts, RunFacts
from phasegate.core.ordering import lock_blockers
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import NOT_APPLIED, PASS, Blocker, Deny, Remedy, Verdict
from phasegate.core.workflow import Workflow
from phasegate.rules._wording import shown


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:  # noqa: ARG001 (one shape for all rules)
    return [_judge(lock, policy.workflow) for lock in facts.locks] if facts.locks else ()


def _judge(lock: LockFacts, workflow: Workflow) -> Verdict:
    if lock.request.reopen and not lock.run_problem and not lock.artifact_problem:
        return NOT_APPLIED
    blockers = _blockers(lock, workflow)
    if lock.run_problem:
        fallback = f"; the run judged instead is `{lock.run.run_id}`" if lock.run is not None else ""
        return Deny(
            f"the run id of this lock can't be used: {lock.run_problem}{fallback}",
            Remedy("rewrite_command", "name the run by its directory name", retryable=True),
            blockers=blockers,
        )
    if lock.artifact_problem:
        return Deny(
            f"the artifact `{shown(lock.request.artifact or '')}` can't be locked: {lock.artifact_problem}",
            Remedy("rewrite_command", "name the artifact by its file name", retryable=True),
        )
    if not blockers or lock.run is None:
        return PASS if lock.artifact in workflow.by_artifact else NOT_APPLIED
    return _deny(lock.artifact or "", lock.run, blockers)


def _blockers(lock: LockFacts, workflow: Workflow) -> tuple[Blocker, ...]:
    if lock.request.reopen or lock.run is None or lock.artifact is None:
        return ()
    if lock.artifact not in workflow.by_artifact:
        return ()
    return lock_blockers(lock.run, workflow, lock.artifact)


def _deny(artifact: str, run: RunFacts, blockers: tuple[Blocker, ...]) -> Deny:
    listed = ", ".join(_described(blocker, run) for blocker in blockers)
    first = blockers[0].artifact
    return Deny(
        f"`{artifact}` can't be locked before {listed} (run: `{run.run_id}`)",
        Remedy(
            "lock",
            f"lock `{first}` first (`phasegate run lock {run.run_id} {first}`), then `{artifact}` again",
            artifact=first,
            retryable=True,
            waiting_on=tuple(blocker.artifact for blocker in blockers),
        ),
        blockers=blockers,
    )


def _described(blocker: Blocker, run: RunFacts) -> str:
    facts = run.artifacts.get(blocker.artifact)
    lacks = f", {facts.lacks}" if facts is not None and facts.lacks else ""
    return f"`{blocker.artifact}` ({blocker.status}{lacks})"


RULE = Rule("lock-order", 50, "an artifact can't be locked while an earlier one is not", judge)
