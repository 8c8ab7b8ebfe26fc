"""Microsoft Agent Framework: the context of a function middleware."""

from __future__ import annotations

from phasegate.runtimes.shim import shim_layout, shim_runtime

RUNTIME = shim_runtime(
    "ms-agent-framework",
    "Microsoft Agent Framework",
    shim_layout(tool=("function.name",), args=("arguments",), call=("call_id",)),
)
