"""Path patterns of memory documents: `*` and `?` inside a name, `**` across names. Linear in practice, never exponential."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

_WILD = "*?"
_ANY = "**"
MAX_LENGTH = 512


def glob_matches(pattern: str, path: str) -> bool:
    """Whether *pattern* covers *path*; a pattern that names a directory covers all below it."""
    if not pattern:
        return False
    parts = pattern.split("/")
    if parts[-1] == "":
        parts[-1] = _ANY
    elif parts[-1] != _ANY:
        return _parts_match(parts, path.split("/")) or _parts_match([*parts, _ANY], path.split("/"))
    return _parts_match(parts, path.split("/"))


def clean_pattern(pattern: str) -> str:
    """The pattern relative to the workspace, "" when it is unusable."""
    bare = pattern.strip().removeprefix("./").lstrip("/")
    return bare if len(bare) <= MAX_LENGTH and ".." not in bare.split("/") else ""


def candidates(pattern: str, paths: Sequence[str]) -> Sequence[str]:
    """Those of the sorted *paths* that begin with the pattern's literal start."""
    length = next((at for at, char in enumerate(pattern) if char in _WILD), len(pattern))
    start = pattern[:length].rstrip("/")
    if not start:
        return paths
    return paths[bisect_left(paths, start) : bisect_left(paths, start + "\U0010ffff")]


def _parts_match(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Names against names; `**` takes any number of them. Falls back to the last `**` only."""
    p = n = 0
    star = mark = -1
    while n < len(parts):
        if p < len(pattern) and pattern[p] == _ANY:
            star, mark = p, n
            p += 1
        elif p < len(pattern) and _name_matches(pattern[p], parts[n]):
            p += 1
            n += 1
        elif star >= 0:
            mark += 1
            p, n = star + 1, mark
        else:
            return False
    return all(part == _ANY for part in pattern[p:])


def _name_matches(pattern: str, name: str) -> bool:
    p = n = 0
    star = mark = -1
    while n < len(name):
        if p < len(pattern) and pattern[p] == "*":
            star, mark = p, n
            p += 1
        elif p < len(pattern) and pattern[p] in ("?", name[n]):
            p += 1
            n += 1
        elif star >= 0:
            mark += 1
            p, n = star + 1, mark
        else:
            return False
    return not pattern[p:].strip("*")
