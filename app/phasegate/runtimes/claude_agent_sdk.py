"""Claude Agent SDK: the arguments of `can_use_tool`, or a hook's input in Claude Code's own format."""

from __future__ import annotations

from phasegate.runtimes import claude_code, claude_shape
from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Runtime

ID = "claude-agent-sdk"
# Without an event name the payload is that of the permission callback.
LAYOUT = Layout(
    agent=("agent_id", "context.agent_id"),
    call=("tool_use_id", "context.tool_use_id"),
    default_event="PreToolUse",
)

RUNTIME = Runtime(
    ID,
    "Claude Agent SDK",
    claude_code.EVENTS,
    reader(ID, LAYOUT, claude_code.EVENTS, claude_code.ATTENDED),
    claude_shape.writer(),
)
