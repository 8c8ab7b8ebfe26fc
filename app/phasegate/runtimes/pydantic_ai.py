"""Pydantic AI: the call and validated arguments before a tool runs."""

from __future__ import annotations

from phasegate.runtimes.shim import shim_layout, shim_runtime

RUNTIME = shim_runtime(
    "pydantic-ai",
    "Pydantic AI",
    shim_layout(tool=("call.tool_name",), args=("args", "call.args"), call=("call.tool_call_id",)),
)
