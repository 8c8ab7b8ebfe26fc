"""Cline's VS Code extension: hook files. Exit codes carry nothing, every argument arrives as text."""

from __future__ import annotations

from typing import Any

from phasegate.runtimes.layout import Layout, call_of, event_of
from phasegate.runtimes.model import Answer, Capability, Hint, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.payload import Fields, first_root, unpack
from phasegate.runtimes.replies import json_reply

EVENTS = {
    "PreToolUse": Capability("before", allow=True, warn="context"),
    "PostToolUse": Capability("after", deny=False, warn="context", tells=True),
}
_SECTION = {"PreToolUse": "preToolUse", "PostToolUse": "postToolUse"}
LAYOUT = Layout(event=("hookName",), session=("taskId",), agent=("agent_id",), call=("toolUseId",))


def read(data: Any, hint: Hint) -> HookRequest:
    """Read a payload; paths are relative to the first workspace root."""
    fields = Fields(data)
    event, can = event_of(fields, LAYOUT, EVENTS, hint)
    if can.phase == "other":
        return HookRequest("cline-vscode", event, "other")
    section = _SECTION[event]
    tool = fields.need_text(f"{section}.toolName")
    args = unpack(fields.need_args(f"{section}.parameters"))
    root = first_root(fields.get("workspaceRoots"))
    call = call_of("cline-vscode", fields, LAYOUT, hint, tool=tool, args=args, cwd=root)
    return HookRequest("cline-vscode", event, can.phase, (call,))


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """`cancel` stops the run, so after a tool the text travels as context instead."""
    del transport
    if said.kind == "pass":
        body: dict[str, Any] = {"cancel": False}
        if said.warning:
            body["contextModification"] = said.warning
        return json_reply(body)
    if request.phase == "after":
        return json_reply({"cancel": False, "contextModification": said.text})
    return json_reply({"cancel": True, "errorMessage": said.text})


RUNTIME = Runtime("cline-vscode", "Cline (VS Code)", EVENTS, read, write, aliases=("cline",))
