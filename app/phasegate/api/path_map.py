"""`--map HOST=LOCAL` applied to a call: every text of it that holds a path of the host.

It works at the edge, before anything looks at the call; everything behind it knows this
machine's paths only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from phasegate.core.call import ToolCall
from phasegate.runtimes import windows
from phasegate.workspace.path_map import PathMap


def mapped(paths: PathMap, call: ToolCall) -> ToolCall:
    """*call* in this machine's paths; the very same when nothing is mapped."""
    if not paths.pairs:
        return call
    call = windows.localised(call, [pair for pair in paths.pairs if windows.is_absolute(pair[0])])
    return replace(
        call,
        args=_value(paths, call.args),
        workspace=call.workspace and paths.to_local(call.workspace),
        cwd=call.cwd and paths.to_local(call.cwd),
    )


def _value(paths: PathMap, value: Any) -> Any:
    if isinstance(value, str):
        return paths.text_to_local(value)
    if isinstance(value, Mapping):
        return {key: _value(paths, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(paths, item) for item in value]
    return value
