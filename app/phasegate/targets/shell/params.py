"""Operators of parameter expansion on known text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.patterns import compile_pattern, ends

if TYPE_CHECKING:
    from phasegate.targets.shell.limits import Effort

Change = Callable[[str], str | None]

MAX_WORKED = 1 << 14
"""Characters of a value on which pattern operators are worked out."""

MAX_SUFFIXED = 512
"""Characters of a value whose suffixes are tried one by one."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """What `${name/pattern/replacement}` says; `every`: with two slashes."""

    pattern: str
    replacement: str
    every: bool


def remove(value: str, op: str, pattern: str, effort: Effort) -> str | None:
    """`${value#pattern}` and its kin `##`, `%`, `%%`; None when it is too long."""
    if len(value) > MAX_WORKED:
        return None
    items = compile_pattern(pattern)
    if op in ("#", "##"):
        stops = ends(items, value, 0, effort)
        if not stops:
            return value
        return value[min(stops) if op == "#" else max(stops) :]
    # `%` takes the shortest suffix, so starts are tried from the end.
    starts = range(len(value), -1, -1) if op == "%" else range(len(value) + 1)
    if len(value) > MAX_SUFFIXED:
        return None
    for start in starts:
        if len(value) in ends(items, value, start, effort):
            return value[:start]
    return value


def substitute(value: str, how: Substitution, effort: Effort) -> str | None:
    """`${value/pattern/replacement}`; *pattern* may begin with the anchors `#` and `%`."""
    if len(value) > MAX_WORKED:
        return None
    pattern = how.pattern
    if pattern == "":
        return value
    if pattern[0] in "#%" and not how.every:
        return _anchored(value, how, effort)
    items = compile_pattern(pattern)
    result: list[str] = []
    index = 0
    while index < len(value):
        stops = ends(items, value, index, effort)
        stop = max(stops) if stops else index
        if stop == index:
            result.append(value[index])
            index += 1
            continue
        result.append(how.replacement)
        index = stop
        if not how.every:
            break
    return "".join(result) + value[index:]


def _anchored(value: str, how: Substitution, effort: Effort) -> str | None:
    anchor, pattern, replacement = how.pattern[0], how.pattern[1:], how.replacement
    if anchor == "#":
        rest = remove(value, "##", pattern, effort)
        if rest is None:
            return None
        changed = len(rest) < len(value) or 0 in ends(compile_pattern(pattern), value, 0, effort)
        return replacement + rest if changed else value
    head = remove(value, "%%", pattern, effort)
    if head is None:
        return None
    changed = len(head) < len(value) or pattern == ""
    return head + replacement if changed else value


def change_case(value: str, op: str, pattern: str, effort: Effort) -> str | None:
    """`${value^^pattern}` and its kin."""
    if len(value) > MAX_WORKED:
        return None
    items = compile_pattern(pattern or "?")
    turn = str.upper if op[0] == "^" else str.lower
    size = len(value) if op[1:] else 1
    head = "".join(turn(c) if 1 in ends(items, c, 0, effort) else c for c in value[:size])
    return head + value[size:]


def cut(value: str, offset: int, length: int | None) -> str | None:
    """`${value:offset:length}`."""
    start = offset if offset >= 0 else len(value) + offset
    if start < 0 or start > len(value):
        return ""
    if length is None:
        return value[start:]
    if length < 0:
        stop = len(value) + length
        return value[start:stop] if stop >= start else None
    return value[start : start + length]


def transform(value: str, op: str) -> str | None:
    """`${value@op}` for the operators that need no more than the value."""
    if op == "Q":
        return "'" + value.replace("'", "'\\''") + "'"
    if op in "UuL":
        return {"U": value.upper(), "u": value[:1].upper() + value[1:], "L": value.lower()}[op]
    return None
