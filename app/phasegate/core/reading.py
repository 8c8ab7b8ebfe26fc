"""What one reading of the memory plane produced, as a value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One memory entry that was shown. `source` is relative to the plane; `digest` covers title and body."""

    source: str
    title: str
    digest: str
    score: int


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """A selection for one phase, rendered.

    `section` is the text for the agent, empty when nothing was shown. `reason` is one
    line on the selection. `plane_digest` names the exact plane that was read.
    `skipped` names what could not or must not be read, each with its cause.
    """

    reason: str
    plane_digest: str
    query_digest: str
    section: str = ""
    shown: tuple[ShownEntry, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def injected(self) -> bool:
        return bool(self.shown)
