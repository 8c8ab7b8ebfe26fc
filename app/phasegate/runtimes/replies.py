"""The reply shapes that several runtimes share.

Four families: Claude's nested `hookSpecificOutput`, bare exit codes, a `decision`
key read by a plugin or shim of our own, and silence.
"""

from __future__ import annotations

from typing import Any

import orjson

from phasegate.runtimes.model import Answer, HookReply, HookRequest, Transport

EXIT_BLOCK = 2
"""The exit code that most runtimes read as deny, with the text on standard error."""

SILENCE = HookReply()


def json_reply(value: Any) -> HookReply:
    """Compact JSON on standard output, exit 0."""
    return HookReply(orjson.dumps(value))


def exit_block(text: str) -> HookReply:
    """Exit 2 with the text on standard error; never empty, some runtimes need it."""
    return HookReply((text or "denied by phasegate").encode(), EXIT_BLOCK, "stderr")


def on_stderr(text: str) -> HookReply:
    """A note on standard error of a call that passes."""
    return HookReply(text.encode(), 0, "stderr")


def nested(event: str, kind: str, text: str) -> HookReply:
    """Claude's decision form; the reason is never empty (without one it counts as broken)."""
    return json_reply(
        {
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": kind,
                "permissionDecisionReason": text or "denied by phasegate",
            }
        }
    )


def nested_permission(event: str, text: str, *, interrupt: bool) -> HookReply:
    """Claude's refusal on the event that stands in for the person's prompt."""
    decision: dict[str, Any] = {"behavior": "deny", "message": text}
    if interrupt:
        decision["interrupt"] = False
    return json_reply({"hookSpecificOutput": {"hookEventName": event, "decision": decision}})


def nested_warning(event: str, text: str, *, context: bool) -> HookReply:
    """A message for the person and, with *context*, for the model; no permission decision."""
    body: dict[str, Any] = {"systemMessage": text}
    if context:
        body["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": text}
    return json_reply(body)


def blocked(text: str) -> HookReply:
    """The `decision: block` form: after a tool it tells the model, it can undo nothing."""
    return json_reply({"decision": "block", "reason": text})


def sidecar(request: HookRequest, answer: Answer, transport: Transport) -> HookReply:
    """The body that our own plugins and shims read: only `allow` lets the call run."""
    del request, transport
    if answer.kind == "pass":
        body = {"decision": "allow"}
        if answer.warning:
            body["warning"] = answer.warning
        return json_reply(body)
    return json_reply({"decision": answer.kind, "reason": answer.text})
