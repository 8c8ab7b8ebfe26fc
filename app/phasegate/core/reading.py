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


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """What to read memory for. `query` is free text; `template_query`: it was an unfilled form.

    `changed_paths` are workspace-relative paths that the work touches.
    """

    run_id: str
    phase: str
    query: str = ""
    template_query: bool = False
    changed_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromotionRequest:
    """Whether *run_id* has put what it learned into the plane, as the artifact's *text* declares."""

    run_id: str
    text: str


@dataclass(frozen=True, slots=True)
class PromotionReading:
    """`problem` says why not, or is empty. `documents` maps each document that counted to its digest."""

    problem: str = ""
    documents: tuple[tuple[str, str], ...] = ()
