"""CrewAI: the context of a hook before a tool call."""

from __future__ import annotations

from phasegate.runtimes.shim import shim_layout, shim_runtime

RUNTIME = shim_runtime(
    "crewai",
    "CrewAI",
    shim_layout(tool=("tool_name",), args=("tool_input",), call=("tool_call_id",), agent=("agent.role",)),
)
