"""A decision store in memory: what the contract of every store is compared with, at no cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Any

from phasegate.decision_log.chain import Head, canonical_bytes, link
from phasegate.decision_log.query import Page, Query, matches, page_of
from phasegate.decision_log.record import DecisionRecord, Entry
from phasegate.errors import LogUnavailable


class MemoryStore:
    """Keeps records in a list. Nothing is durable."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._records: list[dict[str, Any]] = []
        self._head = Head()
        self._closed = False

    def append_many(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        with self._lock:
            self._check_open()
            head, logged, entries = self._head, [], []
            for record in records:
                seq = head.seq + 1
                digest = link(head.hash, canonical_bytes({**record.fields, "seq": seq}))
                entry = Entry(seq, head.hash, digest)
                logged.append(record.logged(entry))
                entries.append(entry)
                head = Head(seq, digest)
            self._records += logged
            self._head = head
            return entries

    def tidy(self) -> bool:
        return False

    def query(self, query: Query) -> Page:
        self._check_open()
        with self._lock:
            newest_first = self._records[::-1]
        found = (record for record in newest_first if matches(record, query))
        return page_of(list(islice(found, query.limit + 1)), query)

    def get(self, decision_id: str) -> dict[str, Any] | None:
        self._check_open()
        found = (record for record in self._records if record.get("decision_id") == decision_id)
        return next(found, None)

    def scan(self, after: int = 0) -> Iterator[dict[str, Any]]:
        self._check_open()
        yield from (record for record in self._records if record["seq"] > after)

    def head(self) -> Head:
        self._check_open()
        return self._head

    def close(self) -> None:
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise LogUnavailable("the decision log is closed")
