"""Any other runtime: our own plain format, one call or several.

    {"event": "before_tool", "tool": "write", "args": {...}, "cwd": "/srv/repo",
     "session_id": "...", "agent_id": "...", "call_id": "..."}
    {"event": "before_tool", "cwd": "/srv/repo", "calls": [{"tool": ..., "args": ...}, ...]}

Answer: `{"decision": "allow", "warning"?}` or `{"decision": "deny", "reason"}`. A spawned
hook that denies also exits 2 with the text on standard error.
"""

from __future__ import annotations

from typing import Any

from phasegate.core.call import ToolCall
from phasegate.runtimes import exit_code
from phasegate.runtimes.layout import CALL, Layout, call_of, event_of
from phasegate.runtimes.model import Answer, Capability, Hint, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.payload import MAX_CALLS, Fields
from phasegate.runtimes.replies import sidecar

ID = "generic"
EVENTS = {
    "before_tool": Capability("before", allow=True, warn="field"),
    "after_tool": Capability("after", deny=False, warn="field", tells=True),
}
LAYOUT = Layout(
    tool=("tool", "tool_name", "name"),
    args=("args", "tool_input", "arguments", "input"),
    event=("event",),
    cwd=("cwd", "working_dir", "directory"),
    call=("call_id", *CALL),
    default_event="before_tool",
    bare="input",
)


def read(data: Any, hint: Hint) -> HookRequest:
    """Read a payload; each entry of `calls` may override the common fields."""
    fields = Fields(data)
    event, can = event_of(fields, LAYOUT, EVENTS, hint)
    if can.phase == "other":
        return HookRequest(ID, event, "other")
    return HookRequest(ID, event, can.phase, _calls(data, fields, hint))


def _calls(data: Any, fields: Fields, hint: Hint) -> tuple[ToolCall, ...]:
    if not fields.has("calls"):
        return (call_of(ID, fields, LAYOUT, hint),)
    entries = fields.get("calls")
    if not isinstance(entries, list) or not 0 < len(entries) <= MAX_CALLS:
        fields.note(f"`calls` is not a list of 1 to {MAX_CALLS} calls")
        return (call_of(ID, fields, LAYOUT, hint, tool="", args={}),)
    common = {key: value for key, value in data.items() if key not in {*LAYOUT.tool, *LAYOUT.args, "calls"}}
    return tuple(_entry(entry, common, hint) for entry in entries)


def _entry(entry: Any, common: dict[str, Any], hint: Hint) -> ToolCall:
    merged = Fields({**common, **entry} if isinstance(entry, dict) else entry)
    return call_of(ID, merged, LAYOUT, hint)


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """JSON over HTTP and to pass; a spawned hook refuses by exit code."""
    if transport == "command" and said.kind != "pass" and request.phase == "before":
        return exit_code.write(request, said, transport)
    return sidecar(request, said, transport)


RUNTIME = Runtime(ID, "Any other runtime", EVENTS, read, write)
