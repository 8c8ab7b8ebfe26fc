"""What every text of a record goes through: roots hidden, secrets masked, bytes capped.

A record never names the absolute place of a served workspace: a root is written as
`{root}`, another served workspace's as `{root:NAME}`. Lone surrogates and NULs, which
no store and no JSON parser agrees on, become U+FFFD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from phasegate.decision_log.record.redact import MARK, redact, suspicious

CUT = "…[cut]"
ROOT_MARK = "{root}"
_CUT_BYTES = len(CUT.encode())
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNREADABLE = dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT) | {0: _REPLACEMENT}
# A text is looked at for secrets and roots no further than this.
_LOOKED_AT = 16 * 1024
_EDGE = 512
_NAME_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
_LONGEST_NAME = 255
_WIDEST_CHAR = 4


def root_mark(name: str | None) -> str:
    """How the root of the workspace *name* is written; None for the record's own."""
    return ROOT_MARK if name is None else "{root:" + name + "}"


def clip(text: str, cap: int) -> str:
    """*text* in at most *cap* bytes of UTF-8, visibly cut if it was longer."""
    if len(text) * _WIDEST_CHAR <= cap:
        return text
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= cap:
        return text
    return data[: max(0, cap - _CUT_BYTES)].decode("utf-8", "ignore") + CUT


def one_line(text: str) -> str:
    """*text* with its line breaks and other control characters as blanks."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c == "\0" else " " for c in text)


class Texts:
    """The treatment of one record's texts. *marks* maps absolute roots to their marks, the longest first.

    Most texts need none, and looking is what costs: so every text that came from outside
    is noted by `short` and all are looked at together, once, by `settle`.
    """

    def __init__(self, marks: Mapping[str, str]) -> None:
        self._marks = marks
        self._noted: list[str] = []

    def short(self, text: str, cap: int) -> str:
        """*text* in at most *cap* bytes. What is cut was treated before, so no part of a secret is left."""
        if not text:
            return text
        if len(text) * _WIDEST_CHAR > cap:
            if len(text) > _LOOKED_AT:
                text = _whole_words(text[:_LOOKED_AT]) + CUT
            text = clip(self.treated(text), cap)
        self._noted.append(text)
        return text

    @property
    def marks(self) -> Mapping[str, str]:
        return self._marks

    @property
    def noted(self) -> tuple[str, ...]:
        """The texts that `short` has noted so far."""
        return tuple(self._noted)

    def note(self, texts: Iterable[str]) -> None:
        """Have *texts*, which `short` has given out before, looked at with the others."""
        self._noted += texts

    def treated(self, text: str) -> str:
        """*text* cleaned, with roots hidden and secrets masked."""
        text = _clean(text)
        for root, mark in self._marks.items():
            text = _hide_root(text, root, mark)
        return redact(text)

    @property
    def untouched(self) -> bool:
        """Whether every text noted so far can stay as it is."""
        return not self._needs_treatment("\n".join(self._noted))

    def settle(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Treat every text inside *fields* if any noted one needs it, and list the masked ones."""
        if self.untouched:
            return fields
        settled: dict[str, Any] = _mapped(fields, self.treated)
        masked = [pointer for pointer, text in _strings(settled, "") if MARK in text]
        return {**settled, "masked": masked} if masked else settled

    def _needs_treatment(self, noted: str) -> bool:
        unclean = "\0" in noted or not (noted.isascii() or noted == _clean(noted))
        return unclean or suspicious(noted) or any(root in noted for root in self._marks)


def _clean(text: str) -> str:
    return text.translate(_UNREADABLE)


def _hide_root(text: str, root: str, mark: str) -> str:
    """Replace *root* where it stands as a whole path or as the beginning of one."""
    if root not in text:
        return text
    parts: list[str] = []
    done = at = 0
    while (at := text.find(root, at)) != -1:
        end = at + len(root)
        if not _within_path(text, at) and (end == len(text) or text[end] not in _NAME_CHARS):
            parts += (text[done:at], mark)
            done = end
        at = end
    return "".join((*parts, text[done:]))


def _within_path(text: str, at: int) -> bool:
    """Whether a path goes on at *at*, as at the second slash of `/etc/x`. `-I/x` begins one."""
    before = text[max(0, at - _LONGEST_NAME) : at]
    bare = before.rstrip(_NAME_CHARS)
    return bare != before and bare.endswith("/")


def _whole_words(text: str) -> str:
    """*text* without its last, perhaps incomplete, word."""
    kept = text.rstrip().rpartition(" ")[0]
    return kept if len(kept) >= len(text) - _EDGE else text[:-_EDGE]


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """*value* with *change* applied to every string in it, keys excepted."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(item, change) for item in value]
    return value


def _strings(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Every string in *value* with the JSON pointer of its place."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _strings(item, f"{pointer}/{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _strings(item, f"{pointer}/{index}")
