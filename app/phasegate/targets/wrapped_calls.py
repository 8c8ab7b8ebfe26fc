"""Calls of other tools that a call carries in its arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

MAX_CALLS = 50

_LIST_KEYS = ("tool_uses", "tool_calls", "toolCalls", "invocations", "calls", "requests")
_NAME_KEYS = ("recipient_name", "tool_name", "toolName", "mcp_tool_name", "tool", "name")
_ARGUMENT_KEYS = (
    "parameters",
    "arguments",
    "mcp_tool_arguments",
    "args",
    "input",
    "tool_input",
    "toolArgs",
    "params",
)

InnerCall = tuple[str, Mapping[str, Any] | None]
"""Id and arguments; the arguments are None where they stand there and can't be read."""


def inner_calls(args: Mapping[str, Any]) -> list[InnerCall]:
    """The calls in *args*, at most `MAX_CALLS` + 1.

    Which of several names or arguments the carrying tool takes is not known: every
    combination counts.
    """
    found: list[InnerCall] = []
    for holder in _holders(args):
        names = [holder[key] for key in _NAME_KEYS if isinstance(holder.get(key), str)]
        inner = list(_arguments(holder)) if names else []
        for name in names:
            found.extend((name, arguments) for arguments in inner)
            if len(found) > MAX_CALLS:
                return found[: MAX_CALLS + 1]
    return found


def _holders(args: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield args
    for key in _LIST_KEYS:
        value = args.get(key)
        if isinstance(value, list | tuple):
            yield from (item for item in value[: MAX_CALLS + 1] if isinstance(item, Mapping))


def _arguments(holder: Mapping[str, Any]) -> Iterator[Mapping[str, Any] | None]:
    """Each object of arguments, or JSON text of one; without any, what stands beside the name."""
    seen = False
    for key in _ARGUMENT_KEYS:
        value = holder.get(key)
        if isinstance(value, Mapping):
            seen = True
            yield value
        elif isinstance(value, str) and value.strip():
            seen = True
            yield _decoded(value)
    if not seen:
        yield {key: value for key, value in holder.items() if key not in (*_NAME_KEYS, *_LIST_KEYS)}


def _decoded(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
