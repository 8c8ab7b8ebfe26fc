"""Claude Code: https://docs.claude.com/en/docs/claude-code/hooks, HTTP and command hooks.

VS Code and Copilot run the hooks of `.claude/settings.json` too. VS Code sends no
directory there; its payloads are told by their `timestamp`, which Claude Code never sends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from phasegate.runtimes import claude_shape
from phasegate.runtimes.layout import Layout, prompts, reader
from phasegate.runtimes.model import Capability, Hint, HookRequest, Runtime

ID = "claude-code"

EVENTS = {
    "PreToolUse": Capability("before", ask=True, allow=True, warn="context"),
    "PermissionRequest": Capability("permission", allow=True, warn="message"),
    "PostToolUse": Capability("after", deny=False, warn="context", tells=True),
    "PostToolUseFailure": Capability("after", deny=False, warn="context", tells=True),
}
LAYOUT = Layout(needs_cwd=True)
ATTENDED = prompts("bypassPermissions", "dontAsk", "auto")

_own = reader(ID, LAYOUT, EVENTS, ATTENDED)
_foreign = reader(ID, replace(LAYOUT, needs_cwd=False), EVENTS, ATTENDED)


def read(data: Any, hint: Hint) -> HookRequest:
    """Read a payload of Claude Code, or of another runtime that runs Claude's hooks."""
    foreign = isinstance(data, dict) and "timestamp" in data
    return (_foreign if foreign else _own)(data, hint)


RUNTIME = Runtime(ID, "Claude Code", EVENTS, read, claude_shape.writer(), aliases=("claude",))
