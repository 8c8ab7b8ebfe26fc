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
    if _has_repeated_key(text, value):
        raise json.JSONDecodeError(f"{_repeated_key(text)} appears twice in one object", "", 0)
    return value


def _has_repeated_key(text: bytes, value: Any) -> bool:
    """Whether an object of *text* has more members than *value*, which kept one for each key.

    Each member has a colon in the text. A member that was lost can only add colons to those
    that *value* accounts for, so that equal sums prove that none was; only a colon written
    as an escape could hide one.
    """
    colons = text.count(b":")
    keys = _keys_in_value(value)
    if colons == keys:
        return False
    if b"\\u003" not in text and colons == keys + _colons_in_strings(value):
        return False
    return _keys_in_text(text) != keys


def _keys_in_text(text: bytes) -> int:
    """Colons outside of strings. *text* is known to be valid JSON."""
    if b'\\"' in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(text.split(b'"')[::2]).count(b":")


def _keys_in_value(value: Any) -> int:
    """Members of all objects in *value*."""
    count = 0
    waiting = [value]
    for item in waiting:
        kind = type(item)
        if kind is str:  # most of them
            continue
        if kind is dict:
            count += len(item)
            waiting += item.values()
        elif kind is list:
            waiting += item
    return count


def _colons_in_strings(value: Any) -> int:
    """Colons in all keys and strings of *value*."""
    count = 0
    waiting = [value]
    for item in waiting:
        if type(item) is str:
            count += item.count(":")
        elif type(item) is dict:
            count += "".join(item).count(":")
            waiting += item.values()
        elif type(item) is list:
            waiting += item
    return count


def _repeated_key(text: bytes) -> str:
    """What to call the first key that is there twice."""
    found = ""

    def look(pairs: list[tuple[str, Any]]) -> None:
        nonlocal found
        seen = set()
        for key, _ in pairs:
            if key in seen:
                found = found or key
            seen.add(key)

    try:
        json.loads(text, object_pairs_hook=look)
    except RecursionError:  # orjson goes deeper
        return "a key"
    return f"the key `{found[:_KEY_SHOWN]}`"
