"""OpenCode and Kilo Code: the payload is built by our own plugin, which throws unless told `allow`."""

from __future__ import annotations

from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Capability, Runtime
from phasegate.runtimes.replies import sidecar

EVENTS = {
    "tool.execute.before": Capability("before", ask=True, allow=True, warn="field"),
    "tool.execute.after": Capability("after", deny=False, warn="field", tells=True),
}
LAYOUT = Layout(
    tool=("tool",),
    args=("args",),
    event=("event",),
    cwd=("directory",),
    session=("sessionID",),
    agent=("agent",),
    call=("callID",),
    default_event="tool.execute.before",
    needs_cwd=True,
)

RUNTIME = Runtime(
    "opencode", "OpenCode", EVENTS, reader("opencode", LAYOUT, EVENTS), sidecar, aliases=("kilo-code",)
)
