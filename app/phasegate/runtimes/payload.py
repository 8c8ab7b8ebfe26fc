"""Reading hook payloads: hostile JSON in, named fields out.

Unknown fields are never looked at, so that a newer runtime still works. A field that
is needed and absent is remembered by name instead of raised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

MAX_ID: Final = 256
MAX_PATH: Final = 4096
MAX_CALLS: Final = 256

_BOM: Final = b"\xef\xbb\xbf"
_STRUCTURED: Final = frozenset(
    {"commands", "edits", "replacements", "operations", "files", "paths", "tool_uses", "changes"}
)


def load(body: bytes) -> Any:
    """The JSON value of *body*, or None when it is not JSON."""
    body = body.removeprefix(_BOM)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _load_leniently(body)


def _load_leniently(body: bytes) -> Any:
    """Accept what JavaScript writes and a strict parser refuses: lone surrogates, odd UTF-8."""
    try:
        return _without_surrogates(json.loads(body.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


class Fields:
    """One payload's fields by name; dotted names go into nested objects.

    Several names are alternatives: the first one present wins. The first needed field
    that is absent or unusable is kept in `defect`.
    """

    def __init__(self, data: Any) -> None:
        self._data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
        self.defect: str | None = None if isinstance(data, Mapping) else "payload is not a JSON object"

    def lacks(self, name: str) -> None:
        """Note that the needed field *name* is absent."""
        self.note(f"payload has no `{name}`")

    def note(self, defect: str) -> None:
        """Remember *defect* unless an earlier one is known."""
        if self.defect is None:
            self.defect = defect

    def get(self, *names: str) -> Any:
        """The first of *names* that is there and not null, else None."""
        for name in names:
            value: Any = self._data
            for part in name.split("."):
                value = value.get(part) if isinstance(value, Mapping) else None
            if value is not None:
                return value
        return None

    def has(self, name: str) -> bool:
        """Whether *name* is there, null or not."""
        head, _, last = name.rpartition(".")
        holder = self.get(head) if head else self._data
        return isinstance(holder, Mapping) and last in holder

    def text(self, *names: str, limit: int = MAX_ID) -> str | None:
        """A text, cut to *limit* characters; anything but a text or a number is None."""
        value = self.get(*names)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        return value[:limit] if isinstance(value, str) and value else None

    def need_text(self, *names: str, limit: int = MAX_ID) -> str:
        """A text that must be there: its absence is a defect named after the first name."""
        value = self.get(*names)
        if value is None:
            self.lacks(names[0])
        elif not isinstance(value, str):
            self.note(f"`{names[0]}` is not a text")
        elif not value.strip():
            self.note(f"`{names[0]}` is blank")
        elif len(value) > limit:
            self.note(f"`{names[0]}` is longer than {limit} characters")
        else:
            return value
        return ""

    def need_path(self, *names: str) -> str | None:
        """A directory that must be there."""
        return self.need_text(*names, limit=MAX_PATH) or None

    def need_args(self, *names: str, bare: str | None = None) -> Mapping[str, Any]:
        """The arguments: an object, JSON text of one, or with *bare* a plain text under that key."""
        value = self.get(*names)
        if value is None:
            if any(self.has(name) for name in names):
                self.note(f"`{names[0]}` is null")
            else:
                self.lacks(names[0])
            return {}
        decoded = load(value.encode("utf-8", "replace")) if isinstance(value, str) else value
        if isinstance(decoded, Mapping):
            return decoded
        if bare is not None and isinstance(value, str) and value:
            return {bare: value}
        self.note(f"`{names[0]}` is not an object")
        return {}


def first_root(value: Any) -> str | None:
    """The first workspace root of a list of texts."""
    if isinstance(value, Sequence) and not isinstance(value, str) and value and isinstance(value[0], str):
        return value[0][:MAX_PATH] or None
    return None


def unpack(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Decode the arguments that are lists by nature where a runtime sends every value as text.

    File contents that happen to be JSON are never touched: only keys known to hold lists.
    """
    return {key: _unpacked(key, value) for key, value in args.items()}


def _unpacked(key: str, value: Any) -> Any:
    if key not in _STRUCTURED or not isinstance(value, str):
        return value
    decoded = load(value.encode("utf-8", "replace"))
    return decoded if isinstance(decoded, list | dict) else value
