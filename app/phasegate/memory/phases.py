"""Whether an entry's `Applies to:` names a phase."""

from __future__ import annotations

from collections.abc import Iterable

_PREFIX = "phase"


def applies(declared: Iterable[str], phase: str) -> bool:
    """Whether one of the *declared* values is the artifact *phase*: its name, its stem, or its number."""
    stem = phase.removesuffix(".md")
    number = _number(stem.split("-", 1)[0])
    return any(
        value in (phase, stem) or (number is not None and _number(value) == number) for value in declared
    )


def _number(text: str) -> tuple[int, int] | None:
    """`03.5`, `3.5` and `phase 3.5` as (3, 5); None for anything else, a range included."""
    bare = text.strip().casefold().removeprefix(_PREFIX).strip()
    whole, _, part = bare.partition(".")
    if not (whole.isascii() and whole.isdigit() and (part == "" or (part.isascii() and part.isdigit()))):
        return None
    if len(bare) > 8:  # noqa: PLR2004 (no phase number is that long)
        return None
    return int(whole), int(part or 0)
