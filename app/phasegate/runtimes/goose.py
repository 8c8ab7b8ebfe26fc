"""Goose: guides/context-engineering/hooks.md. `{}` counts as no decision and is denied when failing closed."""

from __future__ import annotations

from phasegate.runtimes import exit_code
from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Answer, Capability, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.replies import SILENCE, blocked, on_stderr

EVENTS = {
    "PreToolUse": Capability("before", allow=True, warn="stderr"),
    "PostToolUse": Capability("after", deny=False, warn="stderr", tells=True),
}
LAYOUT = Layout(
    event=("event", "hook_event_name"), cwd=("working_dir", "cwd"), call=("tool_call_id",), needs_cwd=True
)


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """`decision: block`; to allow, print nothing at all."""
    del request, transport
    if said.kind == "pass":
        return on_stderr(said.warning) if said.warning else SILENCE
    return blocked(said.text)


RUNTIME = Runtime("goose", "Goose", EVENTS, reader("goose", LAYOUT, EVENTS), write, degraded=exit_code.write)
