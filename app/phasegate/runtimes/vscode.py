"""VS Code agent mode: Copilot Chat's hook executor. Matchers are ignored, a directory is rarely sent."""

from __future__ import annotations

from phasegate.runtimes import claude_shape
from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Capability, Runtime

EVENTS = {
    "PreToolUse": Capability("before", ask=True, allow=True, warn="context"),
    "PostToolUse": Capability("after", deny=False, warn="context", tells=True),
}

RUNTIME = Runtime(
    "vscode",
    "VS Code agent mode",
    EVENTS,
    reader("vscode", Layout(), EVENTS),
    claude_shape.writer(),
    aliases=("vs-code",),
)
