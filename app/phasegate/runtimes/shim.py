"""Frameworks whose hooks run in the agent's own process: a shim posts, and obeys a `decision` key."""

from __future__ import annotations

from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Capability, Runtime
from phasegate.runtimes.replies import sidecar

SHIM_EVENTS = {
    "before_tool": Capability("before", allow=True, warn="field"),
    "after_tool": Capability("after", deny=False, warn="field", tells=True),
}


def shim_runtime(runtime: str, title: str, layout: Layout) -> Runtime:
    """A framework whose call object has *layout*."""
    return Runtime(runtime, title, SHIM_EVENTS, reader(runtime, layout, SHIM_EVENTS), sidecar)


def shim_layout(
    tool: tuple[str, ...],
    args: tuple[str, ...],
    call: tuple[str, ...],
    agent: tuple[str, ...] = ("agent_id",),
) -> Layout:
    """A layout with the shims' own names for the rest: `event`, `cwd`, `session_id`."""
    return Layout(tool=tool, args=args, event=("event",), call=call, agent=agent, default_event="before_tool")
