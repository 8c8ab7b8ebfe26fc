"""Kiro CLI 2.x and Amazon Q Developer CLI: docs/hooks.md. Exit codes only."""

from __future__ import annotations

from phasegate.runtimes import exit_code
from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Capability, Runtime

_BEFORE = Capability("before", warn="stderr")
_AFTER = Capability("after", deny=False, warn="stderr")

EVENTS = {"preToolUse": _BEFORE, "PreToolUse": _BEFORE, "postToolUse": _AFTER, "PostToolUse": _AFTER}

RUNTIME = Runtime(
    "kiro-cli-2",
    "Kiro CLI 2.x and Amazon Q Developer CLI",
    EVENTS,
    reader("kiro-cli-2", Layout(needs_cwd=True), EVENTS),
    exit_code.write,
    aliases=("kiro", "amazon-q"),
)
