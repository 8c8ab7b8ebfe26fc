"""Deny a call that can't be understood and that could reach a protected place.

Most commands that can't be understood are tests and builds: they pass, marked in the
record, and the check after the call finds what they did. Only those that name a
protected place, run inside one, or delete around one are stopped.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.call import ToolCall
from phasegate.core.facts import WRITING_EFFECTS, Facts, OpaqueFacts
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.verdict import PASS, Deny, Remedy, Verdict
from phasegate.rules._wording import one_line, shown

_PLAIN = "write the change with a file tool, or as plain commands whose files stand in the text"


def judge(call: ToolCall, facts: Facts, policy: Policy) -> Iterable[Verdict]:  # noqa: ARG001 (one shape for all rules)
    unusable = facts.extraction.unusable
    if not facts.opaque and not unusable:
        return ()
    verdicts = [_judge(part) for part in facts.opaque]
    if unusable and facts.extraction.effect in WRITING_EFFECTS:
        verdicts.append(_deny_unusable(call, unusable))
    return verdicts


def _deny_unusable(call: ToolCall, unusable: tuple[str, ...]) -> Deny:
    names = ", ".join(f"`{shown(name)}`" for name in unusable)
    return Deny(
        f"`{shown(call.tool)}` carries a path that can't be read as one: {names}",
        Remedy("rewrite_command", f"give {names} as a text", retryable=True),
    )


def _judge(part: OpaqueFacts) -> Verdict:
    why = _why(part)
    if why is None:
        return PASS
    reason = part.reason
    because = one_line(reason.why)
    return Deny(
        f"`{shown(reason.part)}` can't be judged ({because}) and {why}", _remedy(one_line(reason.remedy))
    )


def _why(part: OpaqueFacts) -> str | None:
    if part.words:
        return f"names `{shown(part.words[0])}`"
    if part.cwds:
        return f"runs in `{shown(part.cwds[0])}`"
    if part.destroys:
        return f"deletes or moves around `{shown(part.destroys[0])}`"
    if part.destroys_sealed:
        return f"would overwrite or delete `{shown(part.destroys_sealed[0])}`, which is LOCKED"
    return None


def _remedy(text: str) -> Remedy:
    action = "declare_tool" if "`tools`" in text else "rewrite_command"
    return Remedy("declare_tool" if action == "declare_tool" else "rewrite_command", text or _PLAIN)


RULE = Rule("opaque-write", 80, "a call that can't be understood may not reach a protected place", judge)
