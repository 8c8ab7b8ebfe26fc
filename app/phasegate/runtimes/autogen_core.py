"""AutoGen core: a `FunctionCall` message; the arguments are JSON text."""

from __future__ import annotations

from phasegate.runtimes.shim import shim_layout, shim_runtime

RUNTIME = shim_runtime(
    "autogen-core",
    "AutoGen core",
    shim_layout(tool=("name",), args=("arguments",), call=("id",)),
)
