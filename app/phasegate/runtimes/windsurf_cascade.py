"""Windsurf Cascade, now Devin Desktop: docs cascade/hooks. Exit codes only, no JSON protocol."""

from __future__ import annotations

from typing import Any

from phasegate.runtimes import exit_code
from phasegate.runtimes.layout import Layout, call_of, event_of
from phasegate.runtimes.model import Capability, Hint, HookRequest, Runtime
from phasegate.runtimes.payload import MAX_PATH, Fields

_BEFORE = Capability("before", warn="stderr")
_AFTER = Capability("after", deny=False, warn="stderr")

EVENTS = {
    "pre_write_code": _BEFORE,
    "pre_run_command": _BEFORE,
    "pre_mcp_tool_use": _BEFORE,
    "pre_read_code": _BEFORE,
    "post_write_code": _AFTER,
    "post_run_command": _AFTER,
    "post_mcp_tool_use": _AFTER,
    "post_read_code": _AFTER,
}
LAYOUT = Layout(
    event=("agent_action_name",),
    cwd=("tool_info.cwd",),
    session=("trajectory_id",),
    agent=("agent_id",),
    call=("execution_id",),
)


def read(data: Any, hint: Hint) -> HookRequest:
    """Read a payload; the tool is the action itself, or the MCP server's tool."""
    fields = Fields(data)
    event, can = event_of(fields, LAYOUT, EVENTS, hint)
    if can.phase == "other":
        return HookRequest("windsurf-cascade", event, "other")
    tool, args = _tool(event, fields)
    call = call_of("windsurf-cascade", fields, LAYOUT, hint, tool=tool, args=args)
    return HookRequest("windsurf-cascade", event, can.phase, (call,))


def _tool(event: str, fields: Fields) -> tuple[str, Any]:
    if event.endswith("mcp_tool_use"):
        tool = fields.need_text("tool_info.mcp_tool_name")
        return tool, fields.need_args("tool_info.mcp_tool_arguments")
    if event.endswith("run_command"):
        return event, {"command": fields.need_text("tool_info.command_line", limit=1 << 24)}
    args: dict[str, Any] = {"file_path": fields.need_text("tool_info.file_path", limit=MAX_PATH)}
    edits = fields.get("tool_info.edits")
    return event, args if edits is None else {**args, "edits": edits}


RUNTIME = Runtime(
    "windsurf-cascade",
    "Windsurf Cascade / Devin Desktop",
    EVENTS,
    read,
    exit_code.write,
    aliases=("windsurf", "devin"),
)
