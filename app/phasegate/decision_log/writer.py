"""Group commit: many callers wait for one sync.

One thread takes whatever is queued, appends it in one transaction and wakes its callers.
There is no timer: while one commit is on its way to the disk the next batch gathers by
itself, and a lone record never waits.

To wake a thread, and to be woken by it, can take longer than a commit on a good disk. So
with `inline` the event loop itself commits what was queued during one of its turns, as
long as commits have lately been quick; when they are not, the thread does it. The loop
tries again now and then: how long a commit takes shows best where nothing else runs.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Condition, Lock, Thread, current_thread
from time import perf_counter_ns

from phasegate.core.values import value
from phasegate.decision_log.record import DecisionRecord, Entry
from phasegate.decision_log.store import DecisionStore
from phasegate.errors import LogUnavailable, Overloaded

logger = logging.getLogger("phasegate")
MAX_QUEUE = 10_000
MAX_BATCH = 1_000
QUICK_NS = 1_000_000
"""What a commit may usually take, its records aside, for the event loop to make it."""

_FEW = 256
# The part of a commit that is work, not waiting: it costs the callers the same in a thread.
_RECORD_NS = 30_000
_TIDY_EVERY = 256
# Each commit counts an eighth: one that takes seconds sends some fifty to the thread.
_WEIGHT = 8
# So many turns go to the thread before the loop tries again; twice as many after each trial that was slow.
_TRIAL_AFTER, _MOST_BETWEEN = 32, 4096

Loop = asyncio.AbstractEventLoop
Outcome = Entry | LogUnavailable
Told = Callable[[Outcome], None]
"""How a caller learns where its record came to stand, or why it was not written."""


@value(frozen=True, slots=True)
class _Waiting:
    """A record and how its caller is told: on *loop*, or from the thread when there is none."""

    record: DecisionRecord
    told: Told
    loop: Loop | None = None


class LogWriter:
    """Appends records to *store* from one thread. The store stays the caller's to close.

    `append` and `append_sync` return once the record is durable. They raise `Overloaded`
    when *max_queue* records wait already, and `LogUnavailable` when nothing was written;
    the writer itself goes on, so that the next record finds the disk as it is then.
    """

    def __init__(self, store: DecisionStore, *, max_queue: int = MAX_QUEUE, inline: bool = False) -> None:
        self._store = store
        self._inline = inline
        self._usual_ns = QUICK_NS
        self._trial_after = _TRIAL_AFTER
        self._handed_over = 0
        self._last_ns = 0
        self._working = False
        self._untidied = 0
        self._max_queue = max_queue
        self._queue: deque[_Waiting] = deque()
        # The lock of the condition: to take it through the condition costs every record two calls.
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._idle = False
        self._due = False
        self._planned = False
        self._closing = False
        self._thread: Thread | None = None
        self.written = 0
        self.failed = 0
        self.commits = 0
        self.untidy = 0

    @property
    def waiting(self) -> int:
        """How many records are queued and not yet taken up."""
        return len(self._queue)

    async def start(self) -> None:
        """Start the thread now rather than with the first record."""
        with self._lock:
            self._ensure_thread()

    async def append(self, record: DecisionRecord) -> Entry:
        """Queue *record* and wait until it is durable. A cancelled caller's record is written all the same."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Entry] = loop.create_future()
        if self._put(_Waiting(record, partial(_settle, future), loop)):
            # INVARIANT: the thread is woken after this turn of the loop, not by each record.
            # Woken at once it would contend for the interpreter with the very callers whose
            # records make its batch, and both would crawl.
            loop.call_soon(self._end_of_turn)
        return await future

    def append_round(self, records: Iterable[tuple[DecisionRecord, Told]]) -> None:
        """Queue all that a turn of this thread's event loop has to write, and end its turn.

        Each caller is told, at once or later. Raises as `append`, then for all of *records*.
        """
        loop = asyncio.get_running_loop()
        self._put(*(_Waiting(record, told, loop) for record, told in records))
        self._end_of_turn()

    def append_sync(self, record: DecisionRecord, timeout: float | None = None) -> Entry:
        """The same for a caller without an event loop. Raises `TimeoutError` after *timeout* seconds."""
        sync: Future[Entry] = Future()
        if self._put(_Waiting(record, partial(_settle, sync))):
            self._hand_over()
        return sync.result(timeout)

    async def close(self) -> None:
        """Write what is queued, refuse what comes later, and end the thread."""
        await asyncio.to_thread(self.close_sync)

    def close_sync(self) -> None:
        """The same for a caller without an event loop."""
        with self._lock:
            self._closing = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _put(self, *waiting: _Waiting) -> bool:
        """Queue records; True for the caller that has to see to it that the queue is handed over."""
        with self._lock:
            if self._closing:
                raise LogUnavailable("the decision log is closed")
            if len(self._queue) + len(waiting) > self._max_queue:
                raise Overloaded(
                    f"{self._max_queue} records wait for the decision log", remedy="try again in a moment"
                )
            self._ensure_thread()
            self._queue.extend(waiting)
            first, self._planned = not self._planned, True
            return first

    def _end_of_turn(self) -> None:
        """Commit what one turn of the loop has queued, or let the thread do it."""
        if not self._queue and self._is_done():
            return
        trial = self._usual_ns >= QUICK_NS
        batch = self._batch_of_one_loop() if self._inline and (not trial or self._is_due()) else []
        if not batch:
            self._hand_over()
            return
        outcomes = self._write([waiting.record for waiting in batch])
        if trial:
            self._judge_trial()
        _tell(batch, outcomes)
        self._untidied += len(batch)
        if self._untidied >= _TIDY_EVERY:
            self._hand_over()

    def _is_done(self) -> bool:
        """Whether an earlier end of this turn has taken all there was."""
        with self._lock:
            self._planned = self._planned and bool(self._queue)
            return not self._queue

    def _is_due(self) -> bool:
        """Whether the loop is to try again whether commits are quick."""
        self._handed_over += 1
        return self._handed_over > self._trial_after

    def _judge_trial(self) -> None:
        self._handed_over = 0
        quick = self._last_ns < QUICK_NS
        self._usual_ns = self._last_ns
        self._trial_after = _TRIAL_AFTER if quick else min(2 * self._trial_after, _MOST_BETWEEN)

    def _batch_of_one_loop(self) -> list[_Waiting]:
        """What is queued, if it is little, all of this loop, and the thread is not at work; else nothing."""
        with self._lock:
            queued = self._queue
            loop = queued[0].loop if queued else None
            if loop is None or self._working or self._closing or len(queued) > _FEW:
                return []
            if any(waiting.loop is not loop for waiting in queued):
                return []
            self._planned = False
            batch = list(queued)
            queued.clear()
            return batch

    def _hand_over(self) -> None:
        """Let the thread take what is queued."""
        with self._lock:
            self._planned = False
            self._due = bool(self._queue)
            if self._idle:
                self._changed.notify()

    def _ensure_thread(self) -> None:
        if self._thread is None and not self._closing:
            # A daemon: a process that dies without closing must not hang on its log.
            self._thread = Thread(target=self._run, name="phasegate-log", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (batch := self._take()) is not None:
            if batch:
                self._wake(batch, self._write([waiting.record for waiting in batch]))
            self._tidy()

    def _take(self) -> list[_Waiting] | None:
        """What is to be written now, up to a batch; nothing when there is only to tidy, None when all is done."""
        with self._lock:
            self._working = False
            while not (self._due and self._queue) and self._untidied < _TIDY_EVERY and not self._closing:
                self._idle = True
                self._changed.wait()
            self._idle = False
            if self._closing and not self._queue:
                return None
            self._working = True
            taken = min(len(self._queue), MAX_BATCH) if self._due or self._closing else 0
            self._due = self._due and len(self._queue) > MAX_BATCH
            return [self._queue.popleft() for _ in range(taken)]

    def _write(self, records: Sequence[DecisionRecord]) -> Sequence[Outcome]:
        self.commits += 1
        started = perf_counter_ns()
        try:
            entries = self._store.append_many(records)
        except LogUnavailable as error:
            self.failed += len(records)
            return [LogUnavailable(error.detail, remedy=error.remedy) for _ in records]
        except Exception as error:  # noqa: BLE001 (one record that can't be stored must not take the others along)
            if len(records) > 1:
                return [outcome for record in records for outcome in self._write([record])]
            self.failed += 1
            return [LogUnavailable(f"the record can't be stored ({type(error).__name__})")]
        finally:
            self._learn(max(0, perf_counter_ns() - started - _RECORD_NS * len(records)))
        self.written += len(entries)
        return entries

    def _learn(self, waited: int) -> None:
        self._last_ns = waited
        # The thread may have waited for the interpreter: that it took long says nothing of the disk.
        if waited < self._usual_ns or current_thread() is not self._thread:
            self._usual_ns += (waited - self._usual_ns) // _WEIGHT

    def _tidy(self) -> None:
        """Let the store do what it has put off, now that nobody waits for what was written."""
        self._untidied = 0
        try:
            self._store.tidy()
        except LogUnavailable as error:
            # Nothing is lost by it, and what stands in the way stands in that of the next record too.
            self.untidy += 1
            logger.warning("the decision log could not be tidied: %s", error.detail)

    def _wake(self, batch: Iterable[_Waiting], outcomes: Iterable[Outcome]) -> None:
        """Tell every caller; those of one event loop with a single call into it."""
        by_loop: dict[Loop, tuple[list[_Waiting], list[Outcome]]] = {}
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if waiting.loop is None:
                waiting.told(outcome)
                continue
            callers, theirs = by_loop.setdefault(waiting.loop, ([], []))
            callers.append(waiting)
            theirs.append(outcome)
        for loop, (callers, theirs) in by_loop.items():
            # A loop that was closed meanwhile has nobody left to tell.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_tell, callers, theirs)


def _tell(batch: Iterable[_Waiting], outcomes: Iterable[Outcome]) -> None:
    for waiting, outcome in zip(batch, outcomes, strict=True):
        try:
            waiting.told(outcome)
        except Exception:
            # A defect of ours in one caller must not leave the others waiting.
            logger.exception("telling what became of a record failed")


def _settle(future: asyncio.Future[Entry] | Future[Entry], outcome: Outcome) -> None:
    if future.done():
        return
    if isinstance(outcome, LogUnavailable):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
