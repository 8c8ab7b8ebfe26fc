"""Cline's CLI and SDK: hook files. Exit codes carry nothing; `review` asks a person."""

from __future__ import annotations

from typing import Any

from phasegate.runtimes.layout import Layout, call_of, event_of
from phasegate.runtimes.model import Answer, Capability, Hint, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.payload import Fields, first_root, unpack
from phasegate.runtimes.replies import json_reply

EVENTS = {
    "tool_call": Capability("before", ask=True, allow=True, warn="context"),
    "PreToolUse": Capability("before", ask=True, allow=True, warn="context"),
    "tool_result": Capability("after", deny=False, warn="context", tells=True),
    "PostToolUse": Capability("after", deny=False, warn="context", tells=True),
}
LAYOUT = Layout(
    event=("hookName",),
    session=("sessionContext.rootSessionId", "taskId"),
    agent=("agent_id",),
    call=("tool_call.id", "tool_result.id"),
)
# The name under which a tool's arguments stand when they are one plain text.
_BARE = {"run_commands": "command", "execute_command": "command"}


def read(data: Any, hint: Hint) -> HookRequest:
    """Read a payload: `tool_call`, else the older `preToolUse` section."""
    fields = Fields(data)
    event, can = event_of(fields, LAYOUT, EVENTS, hint)
    if can.phase == "other":
        return HookRequest("cline-sdk", event, "other")
    section = "tool_result" if can.phase == "after" and fields.has("tool_result") else "tool_call"
    if fields.has(section):
        tool = fields.need_text(f"{section}.name")
        args = fields.need_args(f"{section}.input", bare=_BARE.get(tool, "input"))
    else:
        older = "postToolUse" if can.phase == "after" else "preToolUse"
        tool = fields.need_text(f"{older}.toolName")
        args = fields.need_args(f"{older}.parameters")
    root = first_root(fields.get("workspaceRoots"))
    call = call_of("cline-sdk", fields, LAYOUT, hint, tool=tool, args=unpack(args), cwd=root)
    return HookRequest("cline-sdk", event, can.phase, (call,))


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """`cancel`, `review` and `context`; silence is an empty object."""
    del transport
    if said.kind == "pass":
        return json_reply({"context": said.warning} if said.warning else {})
    if request.phase == "after":
        return json_reply({"context": said.text})
    if said.kind == "ask":
        return json_reply({"review": True, "context": said.text})
    return json_reply({"cancel": True, "errorMessage": said.text})


RUNTIME = Runtime("cline-sdk", "Cline CLI and SDK", EVENTS, read, write, aliases=("cline-cli",))
