"""OpenAI Agents SDK: a tool input guardrail's context; the arguments are JSON text."""

from __future__ import annotations

from phasegate.runtimes.shim import shim_layout, shim_runtime

RUNTIME = shim_runtime(
    "openai-agents",
    "OpenAI Agents SDK",
    shim_layout(tool=("tool_name",), args=("tool_arguments",), call=("tool_call_id",)),
)
