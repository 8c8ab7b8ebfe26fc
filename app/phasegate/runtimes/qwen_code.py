"""Qwen Code: docs/users/features/hooks.md. Claude's shape; `{}` is its silence."""

from __future__ import annotations

from phasegate.runtimes import claude_shape
from phasegate.runtimes.layout import Layout, prompts, reader
from phasegate.runtimes.model import Capability, Runtime

EVENTS = {
    "PreToolUse": Capability("before", ask=True, allow=True, warn="context"),
    "PermissionRequest": Capability("permission", allow=True, warn="message"),
    "PostToolUse": Capability("after", deny=False, warn="context", tells=True),
}

RUNTIME = Runtime(
    "qwen-code",
    "Qwen Code",
    EVENTS,
    reader("qwen-code", Layout(needs_cwd=True), EVENTS, prompts("yolo")),
    claude_shape.writer(silence=claude_shape.EMPTY_OBJECT),
    aliases=("qwen",),
)
