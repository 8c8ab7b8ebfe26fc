"""The policy's own list of tool patterns, asked after the built-in rules.

A pattern is matched against the id as the runtime names it and against our canonical
name. The two are looked up apart and a denial wins, except that a bare `*` is a
default rather than a match: it yields to a more specific entry found by the other name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from phasegate.core.call import Mode, ToolCall
from phasegate.core.facts import Facts
from phasegate.core.patterns import ANY
from phasegate.core.policy import PatternRule, Policy
from phasegate.core.verdict import Deny, Finding, Remedy, Verdict

_SEVERITY = {"allow": 0, "ask": 1, "deny": 2}
_SHOWN = 100
_POLICY_SAYS = Remedy("ask_person", "the policy file decides about this tool; a person may change it")
_DECLARE = Remedy("declare_tool", "add the tool to the policy's rules, or a closing `*` rule")


def judge_tool(
    call: ToolCall, facts: Facts, policy: Policy, verdicts: Mapping[str, tuple[Verdict, ...]], mode: Mode
) -> tuple[Finding, ...]:
    """The findings of the pattern list, or nothing when it allows the call.

    *verdicts*: what each built-in rule said, switched off or not; an entry with a rule's
    label decides only when that rule objects.
    """
    tool, canonical = call.tool, facts.extraction.canonical
    warned: dict[PatternRule, None] = {}
    found = []
    for name in (tool,) if tool == canonical else (tool, canonical):
        for entry in policy.match(name):
            if entry.conditional and _objection(entry, verdicts) is None:
                continue
            if entry.conditional and mode == "strict" and _mode(entry, policy, mode) == "advisory":
                warned[entry] = None
                continue
            found.append(entry)
            break
    warnings = tuple(_finding(entry, verdicts, policy, mode) for entry in warned) if warned else ()
    chosen = _chosen(found)
    if chosen is None:
        reason = f"no rule of the policy matches the tool `{_bounded(call.tool)}`"
        return (*warnings, Finding("none", "ask", reason, mode == "strict", _DECLARE, mode=mode))
    if _verdict(chosen) == "allow":
        return warnings
    return (*warnings, _finding(chosen, verdicts, policy, mode))


def _chosen(found: list[PatternRule]) -> PatternRule | None:
    """The entry that decides among those found by each name."""
    if not found:
        return None
    if found[0] is found[-1]:
        return found[0]
    specific = [entry for entry in found if entry.tier != ANY]
    return max(specific or found, key=lambda entry: _SEVERITY[_verdict(entry)])


def _objection(entry: PatternRule, verdicts: Mapping[str, tuple[Verdict, ...]]) -> Deny | None:
    found = verdicts.get(entry.label or "", ())
    return next((verdict for verdict in found if isinstance(verdict, Deny)), None)


def _mode(entry: PatternRule, policy: Policy, mode: Mode) -> Mode:
    """The mode that a condition is enforced in: its rule's own, else the call's."""
    return policy.modes.get(entry.label or "", mode)


def _verdict(entry: PatternRule) -> str:
    return "deny" if entry.conditional else entry.verdict


def _finding(
    entry: PatternRule, verdicts: Mapping[str, tuple[Verdict, ...]], policy: Policy, mode: Mode
) -> Finding:
    label = entry.label or "none"
    objection = _objection(entry, verdicts) if entry.conditional else None
    if objection is None:
        verdict: Literal["deny", "ask"] = "ask" if entry.verdict == "ask" else "deny"
        return Finding(label, verdict, entry.reason, mode == "strict", _POLICY_SAYS, mode=mode)
    own = _mode(entry, policy, mode)
    return Finding(
        label,
        "deny",
        f"{entry.reason}: {objection.reason}",
        own == "strict",
        objection.remedy,
        objection.target,
        own,
        objection.blockers,
    )


def _bounded(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
