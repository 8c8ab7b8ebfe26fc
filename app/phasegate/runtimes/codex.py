"""OpenAI Codex CLI: codex-rs/hooks. Unknown reply keys, `ask` and a bare `allow` make the tool run."""

from __future__ import annotations

from phasegate.runtimes import claude_shape
from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Capability, Runtime

EVENTS = {
    "PreToolUse": Capability("before", warn="context"),
    "PermissionRequest": Capability("permission", allow=True, warn="message"),
    "PostToolUse": Capability("after", deny=False, warn="context", tells=True),
}

RUNTIME = Runtime(
    "codex",
    "Codex CLI",
    EVENTS,
    reader("codex", Layout(needs_cwd=True), EVENTS),
    claude_shape.writer(interrupt=False),
    aliases=("codex-cli",),
)
