"""Choose what to show: score every entry, name every exclusion, keep within the caps. Pure.

A score is the sum of four named components. Feedback only moves an entry that matches
already; it never makes one relevant. Ties go to the code-point order of title and source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from phasegate.memory.document import Document, Entry
from phasegate.memory.globs import candidates, clean_pattern, glob_matches
from phasegate.memory.phases import applies
from phasegate.memory.words import words_of

TITLE_POINTS, BODY_POINTS, PATH_POINTS, PHASE_POINTS = 2, 1, 3, 2
MAX_PATHS_COUNTED = 3
MAX_PATTERN_TESTS = 200_000
# Below this number of entries a word's frequency says nothing.
RARITY_FROM = 16


@dataclass(frozen=True, slots=True)
class Caps:
    """Bounds on what is shown: documents, entries of one document, entries in all."""

    documents: int = 3
    per_document: int = 3
    entries: int = 10


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. `changed_paths` are workspace-relative."""

    text: str
    phase: str | None = None
    changed_paths: tuple[str, ...] = ()


class Score(NamedTuple):
    """The components of an entry's score."""

    query: int = 0
    path: int = 0
    phase: int = 0
    feedback: int = 0

    @property
    def total(self) -> int:
        return self.query + self.path + self.phase + self.feedback

    def named(self) -> dict[str, int]:
        return {
            "query-match": self.query,
            "path-overlap": self.path,
            "phase-applicable": self.phase,
            "feedback": self.feedback,
        }


class Ranked(NamedTuple):
    """An entry with its document, score and, when it is left out, the cause."""

    entry: Entry
    document: Document
    score: Score
    excluded: str = ""


NOTHING = Score()


@dataclass(frozen=True, slots=True)
class Selection:
    """`shown` in order; `excluded` everything else with its cause; `candidates` how many matched."""

    shown: tuple[Ranked, ...]
    excluded: tuple[Ranked, ...]
    candidates: int
    loaded: int
    notes: tuple[str, ...] = ()


def select(documents: Sequence[Document], query: Query, feedback: Mapping[str, int], caps: Caps) -> Selection:
    """Rank every entry of *documents*. *feedback* maps a source to -1, 0 or +1."""
    pairs = [(document, entry) for document in documents for entry in document.entries]
    words = words_of(query.text)
    hits = [words & entry.words for _, entry in pairs]
    weights = _weights(words, hits)
    overlap = _Overlap(query.changed_paths)
    matching: list[Ranked] = []
    excluded: list[Ranked] = []
    for (document, entry), hit in zip(pairs, hits, strict=True):
        cause = document.retired or entry.retired
        if cause:
            excluded.append(Ranked(entry, document, NOTHING, cause))
            continue
        base = Score(
            _query_points(entry, weights, hit),
            PATH_POINTS * overlap.count(document, entry),
            _phase_points(entry, query.phase),
        )
        if base == NOTHING:
            excluded.append(Ranked(entry, document, NOTHING, "no match"))
            continue
        matching.append(Ranked(entry, document, _with_feedback(base, feedback.get(entry.source, 0))))
    matching.sort(key=_order)
    shown, over = _within_caps(matching, caps)
    notes = ("path patterns were tried in part only",) if overlap.exhausted else ()
    return Selection(tuple(shown), (*over, *excluded), len(matching), len(pairs), notes)


def _weights(words: frozenset[str], hits: Sequence[frozenset[str]]) -> Mapping[str, int]:
    """Weight of each query word by its rarity: 2 rare, 1 usual, 0 in more than half of all entries."""
    if len(hits) < RARITY_FROM:
        return dict.fromkeys(words, 1)
    frequency = dict.fromkeys(words, 0)
    for hit in hits:
        for word in hit:
            frequency[word] += 1
    return {word: _weight(frequency[word], len(hits)) for word in words}


def _weight(frequency: int, total: int) -> int:
    if 2 * frequency > total:
        return 0
    return 1 if 8 * frequency > total else 2


def _query_points(entry: Entry, weights: Mapping[str, int], hit: frozenset[str]) -> int:
    if not hit:
        return 0
    title = entry.title_words
    return sum((TITLE_POINTS if word in title else BODY_POINTS) * weights[word] for word in hit)


def _phase_points(entry: Entry, phase: str | None) -> int:
    return PHASE_POINTS if phase and entry.applies_to and applies(entry.applies_to, phase) else 0


def _with_feedback(base: Score, sign: int) -> Score:
    """Feedback moves a match by one at most, and never out of the selection."""
    moved = max(1, base.total + sign) - base.total
    return Score(base.query, base.path, base.phase, moved)


def _order(ranked: Ranked) -> tuple[int, str, str, int]:
    return -ranked.score.total, ranked.entry.title, ranked.entry.source, ranked.entry.position


def _within_caps(matching: Sequence[Ranked], caps: Caps) -> tuple[list[Ranked], list[Ranked]]:
    shown: list[Ranked] = []
    over: list[Ranked] = []
    per_source: Counter[str] = Counter()
    contents: dict[str, str] = {}
    for ranked in matching:
        source = ranked.entry.source
        cause = ""
        # The digest comes last: most entries of a large plane are over a cap, and needn't be hashed.
        if len(shown) >= caps.entries:
            cause = f"below the cap of {caps.entries} entries"
        elif source not in per_source and len(per_source) >= caps.documents:
            cause = f"below the cap of {caps.documents} documents"
        elif per_source.get(source, 0) >= caps.per_document:
            cause = f"below the cap of {caps.per_document} entries of one document"
        elif ranked.entry.digest in contents:
            cause = f"same content as in {contents[ranked.entry.digest]}"
        if cause:
            over.append(Ranked(ranked.entry, ranked.document, ranked.score, cause))
            continue
        shown.append(ranked)
        per_source[source] += 1
        contents[ranked.entry.digest] = source
    return shown, over


class _Overlap:
    """How many changed paths an entry is about, at most three; patterns are tried within a budget."""

    def __init__(self, changed: Sequence[str]) -> None:
        self._paths = sorted({path.removeprefix("./") for path in changed if path.strip("./")})
        self._set = frozenset(self._paths)
        self._by_document: dict[str, frozenset[str]] = {}
        self._budget = MAX_PATTERN_TESTS

    @property
    def exhausted(self) -> bool:
        return self._budget <= 0

    def count(self, document: Document, entry: Entry) -> int:
        if not self._paths:
            return 0
        owned = self._owned(document)
        about = owned if entry.paths.isdisjoint(self._set) else owned | (entry.paths & self._set)
        return min(MAX_PATHS_COUNTED, len(about)) if about else 0

    def _owned(self, document: Document) -> frozenset[str]:
        known = self._by_document.get(document.source)
        if known is None:
            known = self._by_document[document.source] = frozenset(self._match(document))
        return known

    def _match(self, document: Document) -> set[str]:
        found: set[str] = set()
        patterns = (*document.metadata.values("owns-paths"), *document.metadata.values("watch-paths"))
        for raw in patterns:
            pattern = clean_pattern(raw)
            for path in candidates(pattern, self._paths) if pattern else ():
                if len(found) >= MAX_PATHS_COUNTED or self._budget <= 0:
                    return found
                self._budget -= 1
                if glob_matches(pattern, path):
                    found.add(path)
        return found
