"""Tool patterns of a policy: grammar, matching, tiers.

A pattern is a text over ASCII letters, digits, `_ - . :` and `*`, anchored at both ends
and case-sensitive; `*` stands for any run of characters, the empty one included.
"""

from __future__ import annotations

MAX_PATTERN = 200
EXACT, PREFIX, GLOB, ANY = 3, 2, 1, 0
_ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:*")


def pattern_valid(pattern: object) -> bool:
    """Whether *pattern* is a pattern at all."""
    return (
        isinstance(pattern, str)
        and 0 < len(pattern) <= MAX_PATTERN
        and _ALLOWED.issuperset(pattern)
        and pattern[0] not in ".:"
        and pattern[-1] not in ".:"
    )


def pattern_tier(pattern: str) -> int:
    """3 without a star, 2 ending in one, 1 with one elsewhere, 0 for stars alone."""
    if "*" not in pattern:
        return EXACT
    if not pattern.strip("*"):
        return ANY
    return PREFIX if pattern.endswith("*") else GLOB


def pattern_matches(pattern: str, tool: str) -> bool:
    """Whether *tool* is matched. Linear in both lengths for each star-separated piece."""
    if "*" not in pattern:
        return pattern == tool
    head, *middle, tail = pattern.split("*")
    if len(tool) < len(head) + len(tail) or not tool.startswith(head) or not tool.endswith(tail):
        return False
    position, end = len(head), len(tool) - len(tail)
    for piece in middle:
        found = tool.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True
