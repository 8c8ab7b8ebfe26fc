"""JSON as decisions need it: no duplicate keys, no NaN, no broken UTF-8, no bottomless nesting.

A duplicate key is a way to show the guard one path and the tool another: readers differ
in which of the two they take.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

_KEY_SHOWN = 60


def parse_json(text: bytes) -> Any:
    """Parse *text*. Raises `json.JSONDecodeError` with a message that says what to mend."""
    value = orjson.loads(text)
    if _keys_in_text(text) != _keys_in_value(value):
        raise json.JSONDecodeError(f"the key `{_repeated_key(text)}` appears twice in one object", "", 0)
    return value


def _keys_in_text(text: bytes) -> int:
    """Colons outside of strings. *text* is known to be valid JSON."""
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(text.split(b'"')[::2]).count(b":")


def _keys_in_value(value: Any) -> int:
    """Members of all objects in *value*; bounded, because orjson bounds the nesting."""
    count = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) is dict:
            count += len(item)
            waiting.extend(item.values())
        elif type(item) is list:
            waiting.extend(item)
    return count


def _repeated_key(text: bytes) -> str:
    found = ""

    def look(pairs: list[tuple[str, Any]]) -> None:
        nonlocal found
        seen = set()
        for key, _ in pairs:
            if key in seen:
                found = found or key
            seen.add(key)

    json.loads(text, object_pairs_hook=look)
    return found[:_KEY_SHOWN]
