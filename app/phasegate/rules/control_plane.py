"""Deny changes to the guard's own files, and locks made by hand.

The policy, the lock receipts, the read receipts and the logs are what every other
rule believes. A tool that may write them needs no other trick. The same holds for an
artifact whose header is made to say LOCKED by anything but the lock operation.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from phasegate.core.call import ToolCall
from phasegate.core.change import apply_change, claim_lines
from phasegate.core.facts import CHANGING_OPS, Facts, TargetFacts
from phasegate.core.header import claims_lock
from phasegate.core.hook_entry import survives
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import PASS, Deny, Remedy, Verdict
from phasegate.core.workflow import Workflow
from phasegate.rules._wording import action_of, in_run, name_of, shown, sweeps

_ASK_PERSON = Remedy("ask_person", "leave the file alone; a person may change it outside the agent")


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:  # noqa: ARG001 (one shape for all rules)
    return [_judge(target, facts, policy.workflow) for target in facts.targets] if facts.targets else ()


def _judge(facts: TargetFacts, all_facts: Facts, workflow: Workflow) -> Verdict:
    owner = _owned(facts, all_facts, workflow)
    if owner is not None:
        return Deny(f"{action_of(facts)} `{name_of(facts)}`, {owner}", _ASK_PERSON, facts.index)
    if facts.covers_guarded and sweeps(facts, workflow):
        inside = shown(facts.covers_guarded[0])
        return Deny(
            f"{action_of(facts)} `{name_of(facts)}`, which holds the guard's own `{inside}`",
            _ASK_PERSON,
            facts.index,
        )
    if facts.carries_hook and not _keeps_hook(facts):
        return Deny(
            f"{action_of(facts)} `{name_of(facts)}`, which decides whether the guard's hook entry runs",
            Remedy(
                "rewrite_command", "keep the hook entry, and what switches hooks, as it is", retryable=True
            ),
            facts.index,
        )
    if _forges_lock(facts, workflow):
        return Deny(
            f"{action_of(facts)} `{name_of(facts)}`{in_run(facts)} so that its header says LOCKED, "
            "which only the lock operation may do",
            _lock_remedy(facts),
            facts.index,
        )
    return PASS


def _lock_remedy(facts: TargetFacts) -> Remedy:
    run = facts.run.run_id if facts.run is not None else "RUN"
    name = name_of(facts)
    return Remedy(
        "lock",
        f"write it as a draft, then lock it (`phasegate run lock {run} {name}`)",
        artifact=facts.artifact,
        retryable=True,
    )


def _owned(facts: TargetFacts, all_facts: Facts, workflow: Workflow) -> str | None:
    """Why the target is the guard's own file, as an ending of a sentence; None if it is not."""
    real, spelled = facts.target.path, facts.target.lexical
    for path, what in all_facts.guard_paths:
        if _within(real, path) or (spelled != real and _within(spelled, path)):
            return f"which is {what}"
    rel = facts.rel
    owner = owned_name(rel, workflow) if rel is not None else None
    if owner is None:
        below = _below(spelled, all_facts.root)
        if below is not None and below != rel:
            owner = owned_name(below, workflow)
    return owner


def owned_name(rel: str, workflow: Workflow) -> str | None:
    """Which of the guard's own files *rel* (relative to a workspace) is, as an ending of a sentence."""
    layout, folded = workflow.layout, rel.casefold()
    if not folded.startswith(layout.control):
        return None
    control, _, inner = folded.partition("/")
    if control != layout.control:
        return None
    if inner.startswith(layout.runs + "/"):
        return _owned_in_run(inner.split("/"), workflow)
    if inner == layout.policy:
        return "which is the policy file"
    if inner in layout.logs or fnmatch.fnmatchcase(inner, layout.own_files):
        return "which is the guard's own record"
    return "which holds the memory counters" if inner == layout.feedback else None


def _owned_in_run(parts: list[str], workflow: Workflow) -> str | None:
    layout = workflow.layout
    if len(parts) < 3:  # noqa: PLR2004 (runs / id / name)
        return None
    if parts[2] == layout.locks:
        return "which is or holds a lock receipt"
    if len(parts) == 3 and parts[2] == layout.read_receipts:  # noqa: PLR2004 (runs / id / name)
        return "which holds the read receipts"
    return None


def _forges_lock(facts: TargetFacts, workflow: Workflow) -> bool:
    change = facts.target.change
    if change is None or facts.target.op not in CHANGING_OPS or not _lockable(facts, workflow):
        return False
    if change.kind == "unknown":
        return "LOCKED" in change.text and not (facts.text is not None and claims_lock(facts.text))
    result = apply_change(facts.text or "", change)
    if result is None:
        return True
    return claims_lock(result) and claim_lines(result) != claim_lines(facts.text or "")


def _lockable(facts: TargetFacts, workflow: Workflow) -> bool:
    if facts.artifact is not None:
        return True
    addenda = workflow.layout.addenda + "/"
    return facts.run_rel is not None and facts.run_rel.startswith(addenda) and facts.run_rel.endswith(".md")


def _keeps_hook(facts: TargetFacts) -> bool:
    name = facts.target.path.rpartition("/")[2]
    return facts.target.op in CHANGING_OPS and survives(name, facts.text or "", facts.target.change)


def _within(path: str, root: str) -> bool:
    bare = root.rstrip("/")
    return path.startswith(bare) and (path == root or path.startswith("/", len(bare)))


def _below(path: str, root: str) -> str | None:
    prefix = root.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None


RULE = Rule(
    "control-plane",
    10,
    "the guard's own files, and locks made by hand, are out of reach of every tool",
    judge,
    always=True,
)
