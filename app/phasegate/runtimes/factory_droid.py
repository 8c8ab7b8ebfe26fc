"""Factory Droid: docs/reference/hooks-reference.mdx. Camel case common fields, older text has snake case."""

from __future__ import annotations

from phasegate.runtimes import claude_shape
from phasegate.runtimes.layout import Layout, prompts, reader
from phasegate.runtimes.model import Capability, Runtime

EVENTS = {
    "PreToolUse": Capability("before", ask=True, allow=True, warn="message"),
    "PostToolUse": Capability("after", deny=False, warn="message", tells=True),
}
LAYOUT = Layout(
    tool=("tool_name", "toolName"),
    args=("tool_input", "toolInput"),
    event=("hookEventName", "hook_event_name"),
    bare="input",
    needs_cwd=True,
)
ATTENDED = prompts("auto-medium", "auto-high", key=("permissionMode", "permission_mode"))

RUNTIME = Runtime(
    "factory-droid",
    "Factory Droid",
    EVENTS,
    reader("factory-droid", LAYOUT, EVENTS, ATTENDED),
    claude_shape.writer(context=False),
    aliases=("droid",),
)
