"""Google ADK: the arguments of `before_tool_callback`."""

from __future__ import annotations

from phasegate.runtimes.shim import shim_layout, shim_runtime

RUNTIME = shim_runtime(
    "google-adk",
    "Google ADK",
    shim_layout(
        tool=("tool.name",),
        args=("args",),
        call=("tool_context.function_call_id",),
        agent=("tool_context.agent_name",),
    ),
)
