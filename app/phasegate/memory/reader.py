"""Read memory for a phase: plane, counters, selection and rendering put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phasegate.core.reading import MemoryReading, MemoryRequest, ShownEntry
from phasegate.core.sealing import canonical, digest
from phasegate.errors import InvalidRequest
from phasegate.memory.feedback import bonuses, read_book
from phasegate.memory.folders import MemoryPlace
from phasegate.memory.plane import Plane, PlaneState
from phasegate.memory.rendering import render_section
from phasegate.memory.selection import Caps, Query, Ranked, Selection, select

MAX_QUERY = 4_000
MAX_SKIPPED = 100


@dataclass(frozen=True, slots=True)
class Explanation:
    """The ranking for a query. `rows` are in the selector's order, what is shown first."""

    reason: str
    rows: tuple[dict[str, Any], ...]
    skipped: tuple[str, ...]


class MemoryReader:
    """The memory of one workspace. Call it with a request to read for a phase."""

    def __init__(self, place: MemoryPlace, caps: Caps | None = None) -> None:
        self._place = place
        self._caps = caps or Caps()
        self._plane = Plane(place)

    def __call__(self, request: MemoryRequest) -> MemoryReading:
        """Select and render. Never raises for what lies in the plane."""
        state = self._plane.read()
        query = Query(request.query, request.phase, request.changed_paths)
        selection = self._select(state, query)
        section, inside, over = render_section(selection.shown, "phase")
        reason = _reason(selection, len(inside), self._caps, request.template_query)
        if over:
            reason += f"; {len(over)} left out to keep the section within its size"
        if state.skipped:
            reason += f"; {len(state.skipped)} items of the plane could not be read"
        return MemoryReading(
            reason=reason,
            plane_digest=state.digest,
            query_digest=_query_digest(query),
            section=section if inside else "",
            shown=tuple(_shown(ranked) for ranked in inside),
            skipped=_bounded(state.skipped),
        )

    def plane_digest(self) -> str:
        """Names the exact plane as it is now."""
        return self._plane.read().digest

    def sources(self) -> frozenset[str]:
        """Every document of the plane."""
        return self._plane.read().sources

    def explain(
        self, text: str, phase: str | None = None, changed_paths: tuple[str, ...] = ()
    ) -> Explanation:
        """The ranking of every entry, the components of its score, and why it is left out.

        Raises `InvalidRequest` for a blank query.
        """
        if not text.strip():
            raise InvalidRequest("the query is empty", errors=[{"loc": ["q"], "msg": "empty"}])
        state = self._plane.read()
        selection = self._select(state, Query(text[:MAX_QUERY], phase, changed_paths))
        _, inside, over = render_section(selection.shown, "phase")
        full = tuple(
            Ranked(ranked.entry, ranked.document, ranked.score, "over the section's size") for ranked in over
        )
        rows = tuple(_row(ranked) for ranked in (*inside, *full, *selection.excluded))
        return Explanation(_reason(selection, len(inside), self._caps, template=False), rows, state.skipped)

    def _select(self, state: PlaneState, query: Query) -> Selection:
        book = read_book(self._place).counters
        return select(state.documents, query, bonuses(book), self._caps)


def _reason(selection: Selection, injected: int, caps: Caps, template: bool) -> str:
    if not selection.loaded:
        reason = "the memory plane is empty, so nothing is injected"
    elif not selection.candidates:
        reason = (
            f"none of {selection.loaded} entries matches; nothing is injected rather than fabricating memory"
        )
    else:
        reason = (
            f"injected {injected} of {selection.candidates} matching entries, capped at maxDocs {caps.documents}, "
            f"{caps.per_document} per document and {caps.entries} in all"
        )
    if template:
        reason += "; the query was a template: the requirements are not filled in yet"
    return "; ".join((reason, *selection.notes))


def _query_digest(query: Query) -> str:
    return digest(canonical({"text": query.text, "phase": query.phase, "paths": list(query.changed_paths)}))


def _shown(ranked: Ranked) -> ShownEntry:
    entry = ranked.entry
    return ShownEntry(entry.source, entry.title, entry.digest, ranked.score.total)


def _row(ranked: Ranked) -> dict[str, Any]:
    entry = ranked.entry
    return {
        "source": entry.source,
        "kind": entry.kind,
        "title": entry.title,
        "score": ranked.score.total,
        "components": ranked.score.named(),
        "included": not ranked.excluded,
        "reason": ranked.excluded or "shown",
    }


def _bounded(skipped: tuple[str, ...]) -> tuple[str, ...]:
    more = len(skipped) - MAX_SKIPPED
    return skipped if more <= 0 else (*skipped[:MAX_SKIPPED], f"and {more} more")
