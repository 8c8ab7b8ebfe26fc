"""LangChain and LangGraph: the tool call of `wrap_tool_call`."""

from __future__ import annotations

from phasegate.runtimes.shim import shim_layout, shim_runtime

RUNTIME = shim_runtime(
    "langchain",
    "LangChain and LangGraph",
    shim_layout(tool=("tool_call.name",), args=("tool_call.args",), call=("tool_call.id",)),
)
