"""Judgements that still stand: made before on an equal call, with evidence that shows the same today.

Agents ask the same again and again: one file written in many versions, one command run
after each change. A judgement is a function of the call, the names it looks up, the runs
it reads and the policy. Where nothing else was read, all of that is compared again at
each call, and only where all of it is as it was is the judgement given once more. In
doubt it is made anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import orjson

from phasegate.core.call import ToolCall
from phasegate.core.facts import Facts
from phasegate.core.policy import Policy
from phasegate.core.verdict import Decision
from phasegate.decision_log.record import RecordStem
from phasegate.files.cache import tick_of
from phasegate.files.observed import Observed
from phasegate.workspace.gathering import RunRead
from phasegate.workspace.locate import Workspace
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.runs import Runs

KEPT = 512
_LONGEST_KEY = 16 * 1024
_STEMS = 8
_FLAT = frozenset((str, bool, int, type(None)))

Key = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class Standing:
    """A judgement with the evidence it rests on. `stems`: what its records share, by who asked.

    `since`: when this evidence was first seen (monotonic, ns). A name may change twice
    within one tick of a file system's clock, so a judgement stands only when it was made
    once more a tick later.
    """

    workspace: Workspace
    policy: Policy
    facts: Facts
    decision: Decision
    seen: Observed
    runs: tuple[RunRead, ...]
    since: int = 0
    settled: bool = False
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

    def __init__(
        self,
        policies: PolicyFiles,
        runs: Runs,
        *,
        limit: int = KEPT,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._policies = policies
        self._runs = runs
        self._limit = limit
        self._clock = clock
        self._lock = Lock()
        self._kept: dict[Key, Standing] = {}

    def find(self, key: Key) -> Standing | None:
        """The judgement of *key* if everything it rests on shows the same now."""
        standing = self._kept.get(key)
        if standing is None or not standing.settled or not self._holds(standing):
            return None
        return standing

    def now(self) -> int:
        """The table's clock; take it before a judgement begins and hand it to `keep`."""
        return self._clock()

    def keep(self, key: Key, standing: Standing, *, started: int) -> None:
        """Remember a judgement begun at *started*; it stands once it was made twice, a tick apart."""
        standing.since = self._clock()
        with self._lock:
            before = self._kept.pop(key, None)
            if before is not None and _same_evidence(before, standing):
                standing.since = before.since
                standing.settled = started - before.since >= _tick(standing.seen)
            elif len(self._kept) >= self._limit:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = standing

    def _holds(self, standing: Standing) -> bool:
        # The runs come first: they change most often.
        return (
            all(self._unchanged(read) for read in standing.runs)
            and self._policies.policy(standing.workspace) is standing.policy
            and standing.seen.holds()
        )

    def _unchanged(self, read: RunRead) -> bool:
        reading = self._runs.facts(read.workspace, read.run_id, receipts=read.receipts)
        return reading.facts is read.facts and not reading.unreadable


def _tick(seen: Observed) -> int:
    """Nanoseconds in which a directory could change twice and show one signature."""
    return max((tick_of(ctime_ns) for *_, ctime_ns in seen.signed), default=0)


def _same_evidence(one: Standing, other: Standing) -> bool:
    return (
        one.seen == other.seen
        and one.policy is other.policy
        and one.workspace == other.workspace
        and len(one.runs) == len(other.runs)
        and all(mine.facts is theirs.facts for mine, theirs in zip(one.runs, other.runs, strict=True))
    )
