"""Shell patterns: `*`, `?`, `[...]` and the extended `@(a|b)` family.

Matching keeps a set of positions instead of backtracking, so that its cost is a product
of lengths and never explodes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasegate.targets.shell.limits import Effort

_PRINTABLE_FROM = 32
_DELETE = 127
_CLASSES: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: ord(c) < _PRINTABLE_FROM or ord(c) == _DELETE,
    "digit": lambda c: c in "0123456789",
    "graph": lambda c: c.isprintable() and not c.isspace(),
    "lower": str.islower,
    "print": str.isprintable,
    "punct": lambda c: c.isprintable() and not c.isalnum() and not c.isspace(),
    "space": str.isspace,
    "upper": str.isupper,
    "word": lambda c: c.isalnum() or c == "_",
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
}
SPECIAL = frozenset("*?[")
MAX_GROUPS = 8
MAX_MATCHED = 4096
"""Characters of a text that is matched."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One element: `kind` is a character's class or a group's operator."""

    kind: str
    char: str = ""
    accepts: Callable[[str], bool] | None = None
    choices: tuple[tuple[_Item, ...], ...] = ()


def escape(text: str) -> str:
    """A pattern that matches exactly *text*."""
    return "".join(f"\\{char}" if char in "*?[]\\()|!@+-^" else char for char in text)


def unescape(pattern: str) -> str:
    """The text of a pattern that is used as such because nothing matched it."""
    chars = iter(pattern)
    return "".join(next(chars, "\\") if char == "\\" else char for char in chars)


def is_pattern(text: str, *, extended: bool = True) -> bool:
    """Whether the pattern *text* has an unescaped special character."""
    index = 0
    while index < len(text):
        if text[index] == "\\":
            index += 1
        elif text[index] in SPECIAL or (
            extended and text[index] in "?*+@!" and text[index + 1 : index + 2] == "("
        ):
            return True
        index += 1
    return False


@functools.lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> tuple[_Item, ...]:
    """The elements of *pattern*."""
    items, _ = _sequence(pattern, 0, 0)
    return items


def _sequence(pattern: str, index: int, depth: int) -> tuple[tuple[_Item, ...], int]:
    items: list[_Item] = []
    while index < len(pattern):
        char = pattern[index]
        if depth and char in "|)":
            break
        if depth < MAX_GROUPS and char in "?*+@!" and pattern[index + 1 : index + 2] == "(":
            group, end = _group(pattern, index + 2, depth + 1)
            if group is not None:
                items.append(_Item(f"{char}(", choices=group))
                index = end
                continue
        item, index = _single(pattern, index)
        items.append(item)
    return tuple(items), index


def _single(pattern: str, index: int) -> tuple[_Item, int]:
    char = pattern[index]
    if char == "\\" and index + 1 < len(pattern):
        return _Item("char", pattern[index + 1]), index + 2
    if char in "*?":
        return _Item(char), index + 1
    if char == "[":
        accepts, end = _bracket(pattern, index + 1)
        if accepts is not None:
            return _Item("[", accepts=accepts), end
    return _Item("char", char), index + 1


def _group(pattern: str, index: int, depth: int) -> tuple[tuple[tuple[_Item, ...], ...] | None, int]:
    choices = []
    while True:
        items, index = _sequence(pattern, index, depth)
        choices.append(items)
        if index >= len(pattern):
            return None, index
        index += 1
        if pattern[index - 1] == ")":
            return tuple(choices), index


def _bracket(pattern: str, index: int) -> tuple[Callable[[str], bool] | None, int]:
    negated = pattern[index : index + 1] in ("!", "^")
    index += negated
    tests: list[Callable[[str], bool]] = []
    first = True
    while index < len(pattern) and (first or pattern[index] != "]"):
        first = False
        if pattern.startswith("[:", index) and (end := pattern.find(":]", index + 2)) > 0:
            tests.append(_CLASSES.get(pattern[index + 2 : end], lambda _: False))
            index = end + 2
            continue
        low, index = _bracket_char(pattern, index)
        high = low
        if pattern[index : index + 1] == "-" and pattern[index + 1 : index + 2] not in ("", "]"):
            high, index = _bracket_char(pattern, index + 1)
        tests.append(functools.partial(_between, low, high))
    if index >= len(pattern):
        return None, index
    return functools.partial(_accepts, tuple(tests), negated), index + 1


def _bracket_char(pattern: str, index: int) -> tuple[str, int]:
    if pattern[index] == "\\" and index + 1 < len(pattern):
        index += 1
    return pattern[index], index + 1


def _between(low: str, high: str, char: str) -> bool:
    return low <= char <= high


def _accepts(tests: tuple[Callable[[str], bool], ...], negated: bool, char: str) -> bool:
    return any(test(char) for test in tests) is not negated


def matches(pattern: str, text: str, effort: Effort) -> bool:
    """Whether *pattern* matches the whole of *text*."""
    return len(text) in ends(compile_pattern(pattern), text, 0, effort)


def ends(items: tuple[_Item, ...], text: str, start: int, effort: Effort) -> set[int]:
    """Every position at which a match that begins at *start* can end.

    Raises `TooMuch` when *effort* is used up.
    """
    positions = {start}
    for item in items:
        effort.spend(len(positions) + 1)
        positions = _advance(item, text, positions, effort)
        if not positions:
            break
    return positions


def _advance(item: _Item, text: str, positions: set[int], effort: Effort) -> set[int]:
    size = len(text)
    if item.kind == "char":
        return {at + 1 for at in positions if at < size and text[at] == item.char}
    if item.kind == "*":
        effort.spend(size)
        return set(range(min(positions), size + 1))
    if item.kind == "?":
        return {at + 1 for at in positions if at < size}
    if item.kind == "[":
        accepts = item.accepts
        return {at + 1 for at in positions if accepts and at < size and accepts(text[at])}
    return _advance_group(item, text, positions, effort)


def _advance_group(item: _Item, text: str, positions: set[int], effort: Effort) -> set[int]:
    once: set[int] = set()
    for at in positions:
        found: set[int] = set()
        for choice in item.choices:
            found |= ends(choice, text, at, effort)
        once |= set(range(at, len(text) + 1)) - found if item.kind == "!(" else found
    if item.kind in ("@(", "!("):
        return once
    if item.kind == "?(":
        return once | positions
    reached, fresh = set(once), once
    while fresh:
        fresh = {
            end for at in fresh for choice in item.choices for end in ends(choice, text, at, effort)
        } - reached
        reached |= fresh
    return reached if item.kind == "+(" else reached | positions
