"""OpenAI Codex CLI: codex-rs/hooks. Unknown reply keys, `ask` and a bare `allow` make the tool run."""

from __future__ import annotations

from phasegate.runtimes import claude_shape
from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Capability, Runtime

EVENTS = {
    "PreToolUse": Capability("before", warn="message"),
    "PermissionRequest": Capability("permission", allow=True, warn="message"),
    "PostToolUse": Capability("after", deny=False, warn="message", tells=True),
}

RUNTIME = Runtime(
    "codex",
    "Codex CLI",
    EVENTS,
    reader("codex", Layout(needs_cwd=True), EVENTS),
    claude_shape.writer(interrupt=False, context=False),
    aliases=("codex-cli",),
)
