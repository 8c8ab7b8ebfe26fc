"""GitHub Copilot CLI and cloud agent: docs hooks-reference. Reply keys stand at the top level.

Events named in camelCase bring camelCase payloads without an event name, so the
installed hook hints it; PascalCase events bring snake_case payloads.
"""

from __future__ import annotations

from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Answer, Capability, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.replies import json_reply, on_stderr

_BEFORE = Capability("before", ask=True, allow=True, warn="stderr")
_PERMISSION = Capability("permission", allow=True, warn="stderr")
_AFTER = Capability("after", deny=False, warn="context", tells=True)

EVENTS = {
    "preToolUse": _BEFORE,
    "PreToolUse": _BEFORE,
    "permissionRequest": _PERMISSION,
    "PermissionRequest": _PERMISSION,
    "postToolUse": _AFTER,
    "PostToolUse": _AFTER,
}
LAYOUT = Layout(
    tool=("toolName", "tool_name"),
    args=("toolArgs", "tool_input"),
    event=("hook_event_name", "hookEventName"),
    default_event="preToolUse",
    bare="input",
    needs_cwd=True,
)


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """Top-level `permissionDecision`, `behavior` on the permission event, context after a tool."""
    silence = HookReply(b"{}" if transport == "http" else b"")
    if request.phase == "after":
        text = said.text if said.kind != "pass" else said.warning
        return json_reply({"additionalContext": text}) if text else silence
    if said.kind == "pass":
        return on_stderr(said.warning) if said.warning and transport == "command" else silence
    if request.phase == "permission":
        return json_reply({"behavior": "deny", "message": said.text, "interrupt": False})
    return json_reply({"permissionDecision": said.kind, "permissionDecisionReason": said.text})


RUNTIME = Runtime(
    "copilot-cli",
    "GitHub Copilot CLI and cloud agent",
    EVENTS,
    reader("copilot-cli", LAYOUT, EVENTS),
    write,
    aliases=("copilot", "copilot-cloud"),
)
