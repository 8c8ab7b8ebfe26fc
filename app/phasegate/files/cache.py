"""Values remembered by the signature of the file they were computed from.

A file system stamps a change with a clock that ticks only every few milliseconds. A
second change of equal size inside one tick leaves the signature as it was, so a
signature is believed only when it has been *seen unchanged for longer than a tick* and
the file was read once more after that. The comparison uses this process's monotonic
clock: the file system's may be another machine's.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from phasegate.files.read import TICK_NS, Signature

COARSE_TICK_NS = 2_100_000_000
"""For file systems that keep whole seconds, or every second one."""

_SECOND_NS = 1_000_000_000

K = TypeVar("K")
V = TypeVar("V")

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Kept(Generic[V]):
    """A value, the signature it belongs to, and since when (monotonic, ns) that has been seen."""

    signature: Signature
    value: V
    since: int
    settled: bool = False

    def holds_for(self, signature: tuple[int, ...] | None) -> bool:
        """Whether the value may be used for a file that shows *signature* now."""
        return self.settled and self.signature == signature


def keep(previous: Kept[V] | None, signature: Signature, value: V, *, started: int, ended: int) -> Kept[V]:
    """Remember *value*, read between *started* and *ended* from a file in state *signature*."""
    if previous is None or previous.signature != signature:
        return Kept(signature, value, ended)
    return Kept(
        signature, value, previous.since, settled=started - previous.since >= tick_of(signature.ctime_ns)
    )


def tick_of(ctime_ns: int) -> int:
    """The longest tick, in ns, of a clock that stamped a change with *ctime_ns*."""
    return TICK_NS if ctime_ns % _SECOND_NS else COARSE_TICK_NS


class SignatureCache(Generic[K, V]):
    """A bounded table of `Kept` values; the least recently used one goes first. Thread-safe."""

    def __init__(self, limit: int, clock: Clock = time.monotonic_ns) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: OrderedDict[K, Kept[V]] = OrderedDict()
        self._lock = threading.Lock()

    def now(self) -> int:
        """The cache's clock; take it before a read begins and hand it to `put`."""
        return self._clock()

    def get(self, key: K, signature: Signature) -> Kept[V] | None:
        """The entry of *key* if it still holds for *signature*."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or not entry.holds_for(signature):
                return None
            self._entries.move_to_end(key)
            return entry

    def put(self, key: K, signature: Signature, value: V, *, started: int) -> None:
        """Remember *value*, whose read began at *started* (see `now`)."""
        with self._lock:
            previous = self._entries.get(key)
            self._entries[key] = keep(previous, signature, value, started=started, ended=self._clock())
            self._entries.move_to_end(key)
            while len(self._entries) > self._limit:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)
