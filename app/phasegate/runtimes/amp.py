"""Amp: the payload is built by our own plugin, which rejects unless told `allow`."""

from __future__ import annotations

from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Capability, Runtime
from phasegate.runtimes.replies import sidecar

EVENTS = {
    "tool.call": Capability("before", ask=True, allow=True, warn="field"),
    "tool.result": Capability("after", deny=False, warn="field", tells=True),
}
LAYOUT = Layout(
    tool=("tool",),
    args=("input",),
    event=("event",),
    cwd=("workspaceRoot", "cwd"),
    session=("thread.id",),
    agent=("agent",),
    call=("toolUseID",),
    default_event="tool.call",
    bare="input",
)

RUNTIME = Runtime("amp", "Amp", EVENTS, reader("amp", LAYOUT, EVENTS), sidecar)
