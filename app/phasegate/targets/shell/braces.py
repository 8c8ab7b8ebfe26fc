"""Brace expansion: `a{b,c}` and `{1..3}`, before anything else is expanded.

A word comes as a list of units: single unquoted characters, and opaque units for all
that is quoted or expanded later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phasegate.targets.shell.limits import MAX_FIELDS, TooMuch

MAX_GROUPS = 16
"""Brace expressions inside and behind one another."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a word: one unquoted character, or a node of the AST."""

    char: str = ""
    node: Any = None


def expand_braces(units: Sequence[Unit], depth: int = 0) -> list[list[Unit]]:
    """The words that *units* stand for; raises `TooMuch` for more than `MAX_FIELDS`."""
    if depth > MAX_GROUPS:
        raise TooMuch("a brace expansion is nested too deeply")
    start = 0
    while (opening := _find(units, "{", start)) is not None:
        closing = _closing(units, opening)
        choices = _choices(units[opening + 1 : closing]) if closing is not None else None
        # `${x}` is a node of its own, so a `{` here always opens a brace expression.
        if closing is None or choices is None:
            start = opening + 1
            continue
        heads = list(units[:opening])
        tails = expand_braces(units[closing + 1 :], depth + 1)
        result: list[list[Unit]] = []
        for choice in choices:
            for middle in expand_braces(choice, depth + 1):
                result.extend([*heads, *middle, *tail] for tail in tails)
                if len(result) > MAX_FIELDS:
                    raise TooMuch("a brace expansion gives too many words")
        return result
    return [list(units)]


def _find(units: Sequence[Unit], char: str, start: int) -> int | None:
    return next((index for index in range(start, len(units)) if units[index].char == char), None)


def _closing(units: Sequence[Unit], opening: int) -> int | None:
    depth = 0
    for index in range(opening, len(units)):
        if units[index].char == "{":
            depth += 1
        elif units[index].char == "}":
            depth -= 1
            if depth == 0:
                return index
    return None


def _choices(inside: Sequence[Unit]) -> list[list[Unit]] | None:
    """The alternatives between two braces, or None when they are just braces."""
    parts: list[list[Unit]] = [[]]
    depth = 0
    for unit in inside:
        depth += (unit.char == "{") - (unit.char == "}")
        if unit.char == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(unit)
    if len(parts) > 1:
        return parts
    if any(unit.node is not None for unit in inside):
        return None
    return _sequence("".join(unit.char for unit in inside))


def _sequence(text: str) -> list[list[Unit]] | None:
    ends = text.split("..")
    if len(ends) not in (2, 3):
        return None
    step = _integer(ends[2]) if ends[2:] else 1
    if step is None:
        return None
    low, high = _integer(ends[0]), _integer(ends[1])
    width = 0
    if low is None or high is None:
        letters = ends[0] + ends[1]
        if len(ends[0]) != 1 or len(ends[1]) != 1 or not (letters.isascii() and letters.isalpha()):
            return None
        numbers = _steps(ord(ends[0]), ord(ends[1]), step)
        return [[Unit(char=chr(number))] for number in numbers]
    if any(len(end.lstrip("-")) > 1 and end.lstrip("-").startswith("0") for end in ends[:2]):
        width = max(len(ends[0]), len(ends[1]))
    return [[Unit(char=char) for char in f"{number:0{width}d}"] for number in _steps(low, high, step)]


def _steps(low: int, high: int, step: int) -> range:
    step = abs(step) or 1
    if abs(high - low) // step > MAX_FIELDS:
        raise TooMuch("a brace expansion gives too many words")
    return range(low, high + 1, step) if low <= high else range(low, high - 1, -step)


def _integer(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if digits.isascii() and digits.isdigit() and not digits[9:] else None
