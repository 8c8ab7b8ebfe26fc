"""A store that also copies what it has written into the peer's own files.

The copy is made after the answer may leave, by a thread of its own, and only of the
newest records when there are more than it can keep up with: that is all the peer keeps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Condition, Thread
from typing import Any

from phasegate.decision_log.chain import Head
from phasegate.decision_log.mirror import KEPT, Mirror, decision_row, tamper_row
from phasegate.decision_log.query import Page, Query
from phasegate.decision_log.record import DecisionRecord, Entry
from phasegate.decision_log.store import DecisionStore

CLOSE_SECONDS = 5.0

Row = Callable[[Mapping[str, Any]], dict[str, Any]]


class MirroredStore:
    """*store* with a mirror beside it.

    *root* gives the root of a workspace by its served name, or None. *logs* holds the
    peer's names for the log of decisions and the log of tampering, below *control*.
    """

    def __init__(
        self, store: DecisionStore, root: Callable[[str], str | None], control: str, logs: Sequence[str]
    ) -> None:
        self._store = store
        self._root = root
        decisions, tampers = logs
        self._mirrors: dict[str, tuple[Mirror, Row]] = {
            "decision": (Mirror(control, decisions), decision_row),
            "tamper": (Mirror(control, tampers), tamper_row),
        }
        self._waiting: deque[Mapping[str, Any]] = deque(maxlen=KEPT)
        self._changed = Condition()
        self._closing = False
        self._thread: Thread | None = None

    def append_many(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        entries = self._store.append_many(records)
        with self._changed:
            if self._thread is None and not self._closing:
                # A daemon: the mirror must not keep a process alive that wants to end.
                self._thread = Thread(target=self._run, name="phasegate-mirror", daemon=True)
                self._thread.start()
            self._waiting.extend(record.fields for record in records)
            self._changed.notify()
        return entries

    def tidy(self) -> bool:
        return self._store.tidy()

    def query(self, query: Query) -> Page:
        return self._store.query(query)

    def get(self, decision_id: str) -> dict[str, Any] | None:
        return self._store.get(decision_id)

    def scan(self, after: int = 0) -> Iterator[dict[str, Any]]:
        return self._store.scan(after)

    def head(self) -> Head:
        return self._store.head()

    def close(self) -> None:
        """Copy what waits, for a few seconds at most, then close the store."""
        with self._changed:
            self._closing = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(CLOSE_SECONDS)
        self._store.close()

    def _run(self) -> None:
        while (fields := self._next()) is not None:
            self._copy(fields)

    def _next(self) -> Mapping[str, Any] | None:
        with self._changed:
            while not self._waiting and not self._closing:
                self._changed.wait()
            return self._waiting.popleft() if self._waiting else None

    def _copy(self, fields: Mapping[str, Any]) -> None:
        mirror, row = self._mirrors.get(str(fields.get("type")), (None, None))
        root = self._root(str(fields.get("workspace", "")))
        if mirror is not None and row is not None and root is not None:
            mirror.append(root, row(fields))
