"""Judgements that still stand: made before on an equal call, with evidence that shows the same today.

Agents ask the same again and again: one file written in many versions, one command run
after each change. A judgement is a function of the call, the names it looks up, the runs
it reads and the policy. Where nothing else was read, all of that is compared again at
each call, and only where all of it is as it was is the judgement given once more. In
doubt it is made anew.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import orjson

from phasegate.core.call import ContentChange, ToolCall
from phasegate.core.facts import Facts
from phasegate.core.policy import Policy
from phasegate.core.verdict import Decision
from phasegate.decision_log.record import RecordStem
from phasegate.files.cache import tick_of
from phasegate.files.observed import Observed
from phasegate.workspace.gathering import RunRead
from phasegate.workspace.locate import Workspace
from phasegate.workspace.shared import Moment

KEPT = 512
_LONGEST_KEY = 16 * 1024
_STEMS = 8
_FLAT = frozenset((str, bool, int, type(None)))

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All that a judgement rests on besides its call."""

    workspace: Workspace
    policy: Policy
    seen: Observed
    runs: tuple[RunRead, ...]

    def is_that_of(self, other: Evidence) -> bool:
        return (
            self.seen == other.seen
            and self.policy is other.policy
            and self.workspace == other.workspace
            and len(self.runs) == len(other.runs)
            and all(mine.facts is theirs.facts for mine, theirs in zip(self.runs, other.runs, strict=True))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """Evidence that was met once, at `since` (monotonic, ns).

    A directory may change twice within one tick of a file system's clock and show one
    signature, so nothing stands before it was found the same a tick later.
    """

    evidence: Evidence
    since: int


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A judgement that stands, without the texts of the call it was made on.

    `stems`: what its records share, by who asked.
    """

    evidence: Evidence
    facts: Facts
    decision: Decision
    stems: dict[tuple[str | None, ...], RecordStem] = field(default_factory=dict)

    def remember(self, origin: tuple[str | None, ...], stem: RecordStem) -> None:
        if len(self.stems) >= _STEMS:
            self.stems.clear()
        self.stems[origin] = stem


def key_of(call: ToolCall, args: Mapping[str, Any]) -> Key | None:
    """What a judgement of *call* with *args* depends on, as far as the call says; None for a large or odd one."""
    if type(args) is not dict or not _FLAT.issuperset(map(type, args.values())):
        return None
    try:
        text = orjson.dumps(args)
    except orjson.JSONEncodeError:
        return None
    key = (call.tool, text, call.workspace, call.cwd, call.run_id, call.mode, call.defect)
    size = sum(len(part) for part in key if part is not None)
    return key if size <= _LONGEST_KEY else None


class Recall:
    """A bounded table of standing judgements. Thread-safe."""

    def __init__(self, *, limit: int = KEPT) -> None:
        self._limit = limit
        self._lock = Lock()
        # A mark that two keys share costs one of them a moment's work.
        self._met: dict[int, None] = {}
        self._kept: dict[Key, Sighting | Standing] = {}

    def find(self, key: Key, moment: Moment) -> Standing | None:
        """The judgement of *key* if everything it rests on shows the same at *moment*."""
        known = self._kept.get(key)
        if not isinstance(known, Standing):
            return None
        if known not in moment.held:
            if not _holds(known.evidence, moment):
                return None
            moment.held.add(known)
        return known

    def is_known(self, key: Key) -> bool:
        """Whether *key* was met before. It is from now on: most calls are never met again."""
        mark = hash(key)
        if mark in self._met:
            return True
        with self._lock:
            if len(self._met) >= self._limit:
                del self._met[next(iter(self._met))]
            self._met[mark] = None
        return False

    def keep(
        self, key: Key, evidence: Evidence, facts: Facts, decision: Decision, *, started: int
    ) -> Standing | None:
        """Take note of a judgement on what was looked at from *started* on; it as it stands now, None if it does not yet."""
        known = self._kept.get(key)
        if known is None or not known.evidence.is_that_of(evidence):
            self._put(key, Sighting(evidence, time.monotonic_ns()))
            return None
        if isinstance(known, Sighting) and started - known.since < _tick(evidence.seen):
            return None
        bare = without_texts(facts)
        standing = Standing(evidence, bare, replace(decision, extraction=bare.extraction))
        self._put(key, standing)
        return standing

    def _put(self, key: Key, known: Sighting | Standing) -> None:
        with self._lock:
            if self._kept.pop(key, None) is None and len(self._kept) >= self._limit:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = known


def _holds(evidence: Evidence, moment: Moment) -> bool:
    # The runs come first: they change most often.
    return (
        all(_unchanged(read, moment) for read in evidence.runs)
        and moment.policy(evidence.workspace) is evidence.policy
        and evidence.seen.holds()
    )


def _unchanged(read: RunRead, moment: Moment) -> bool:
    reading = moment.facts(read.workspace, read.run_id, receipts=read.receipts)
    return reading.facts is read.facts and not reading.unreadable


def without_texts(facts: Facts) -> Facts:
    """*facts* with empty texts in the changes of targets. Facts that rest on names alone are not about them."""
    bare = tuple(
        target if target.change is None else replace(target, change=ContentChange(target.change.kind))
        for target in facts.extraction.targets
    )
    items = tuple(replace(item, target=bare[item.index]) for item in facts.targets)
    return replace(facts, extraction=replace(facts.extraction, targets=bare), targets=items)


def _tick(seen: Observed) -> int:
    """Nanoseconds in which a directory could change twice and show one signature."""
    return max((tick_of(ctime_ns) for *_, ctime_ns in seen.signed), default=0)
