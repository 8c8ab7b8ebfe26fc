"""Cursor: cursor.com/docs/hooks. Its `ask` is obeyed on the shell and MCP events only."""

from __future__ import annotations

from typing import Any

from phasegate.runtimes.layout import Layout, call_of, event_of
from phasegate.runtimes.model import Answer, Capability, Hint, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.payload import MAX_PATH, Fields, first_root
from phasegate.runtimes.replies import json_reply

EVENTS = {
    "preToolUse": Capability("before", allow=True, warn="context"),
    "beforeShellExecution": Capability("before", ask=True, allow=True, warn="context"),
    "beforeMCPExecution": Capability("before", ask=True, allow=True, warn="context"),
    "beforeReadFile": Capability("before", allow=True, warn="context"),
    "afterFileEdit": Capability("after", deny=False),
    "afterShellExecution": Capability("after", deny=False),
    "afterMCPExecution": Capability("after", deny=False),
    "postToolUse": Capability("after", deny=False, warn="context", tells=True),
}
LAYOUT = Layout(session=("conversation_id", "session_id"), call=("tool_use_id",))
_SHELL = {"beforeShellExecution", "afterShellExecution"}
_FILE = {"beforeReadFile", "afterFileEdit"}


def read(data: Any, hint: Hint) -> HookRequest:
    """Read a payload; on the shell and file events the tool is the event itself."""
    fields = Fields(data)
    event, can = event_of(fields, LAYOUT, EVENTS, hint)
    if can.phase == "other":
        return HookRequest("cursor", event, "other")
    known = _known(event, fields)
    # Relative paths start at the shell's own directory, else the payload's, else the first root.
    cwd = fields.text("tool_input.working_directory", "cwd", limit=MAX_PATH)
    known["cwd"] = cwd or first_root(fields.get("workspace_roots"))
    return HookRequest("cursor", event, can.phase, (call_of("cursor", fields, LAYOUT, hint, **known),))


def _known(event: str, fields: Fields) -> dict[str, Any]:
    if event in _SHELL:
        return {"tool": event, "args": {"command": fields.need_text("command", limit=1 << 24)}}
    if event in _FILE:
        args: dict[str, Any] = {"file_path": fields.need_text("file_path", limit=MAX_PATH)}
        edits = fields.get("edits")
        return {"tool": event, "args": args if edits is None else {**args, "edits": edits}}
    return {}


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """The `permission` form. Cursor's CLI shows its model `user_message`, the editor `agent_message`."""
    del transport
    if request.phase == "after":
        return json_reply({"additional_context": _said(said)} if _said(said) else {})
    if said.kind == "pass":
        warned = {"user_message": said.warning, "agent_message": said.warning}
        return json_reply(warned if said.warning else {})
    if said.kind == "ask":
        messages = {"user_message": said.text, "agent_message": "Waiting for a person"}
        return json_reply({"permission": "ask", **messages})
    return json_reply({"permission": "deny", "user_message": said.text, "agent_message": said.text})


def _said(said: Answer) -> str:
    return said.text if said.kind != "pass" else said.warning or ""


RUNTIME = Runtime("cursor", "Cursor", EVENTS, read, write)
