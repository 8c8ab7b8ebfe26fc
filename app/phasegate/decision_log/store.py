"""What a store of decision records does, whatever keeps the bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Protocol

import orjson

from phasegate.decision_log.chain import Head, Problem, Verification, verify
from phasegate.decision_log.query import Page, Query
from phasegate.decision_log.record import DecisionRecord, Entry


class DecisionStore(Protocol):
    """An append-only, hash-chained log. Every method may be called from any thread.

    Records come back as logged: with `seq`, `prev_hash` and `hash`. One that can't be
    read comes back with `damaged` saying why and with whatever else could be read.
    Each method raises `LogUnavailable` when the log can't be used.
    """

    def append_many(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        """
        Add *records* after the head, in order, and return their places.

        All are durable when this returns. If it raises, none was added and it is safe to
        try again.
        """

    def tidy(self) -> bool:
        """Do a little of what appends have left for a quiet moment; whether anything was done."""

    def query(self, query: Query) -> Page:
        """One page of matching records, newest first."""

    def get(self, decision_id: str) -> dict[str, Any] | None:
        """The record with this id, of any type."""

    def scan(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """All records after *after*, oldest first. Records added meanwhile are included."""

    def head(self) -> Head:
        """The head as it was noted with the last append."""

    def close(self) -> None:
        """Release everything. Closing twice is fine."""


def verify_store(store: DecisionStore) -> Verification:
    """Check the whole log against itself and its noted head. Appends may go on meanwhile."""
    found = verify(store.scan(), store.head())
    noted = store.head()
    if found.last_seq is not None and found.last_seq > noted.seq:
        beyond = Problem(found.last_seq, "head_differs", f"it lies beyond the noted head, record {noted.seq}")
        return Verification(
            found.checked, found.first_seq, found.last_seq, found.head, (*found.problems, beyond)
        )
    return found


def export(store: DecisionStore, after: int = 0) -> Iterator[bytes]:
    """
    The log as JSON Lines, oldest first, then its head: all that a check needs, see `chain`.

    Records that are added meanwhile are left out.
    """
    head = store.head()
    for record in takewhile(lambda item: item["seq"] <= head.seq, store.scan(after)):
        yield orjson.dumps(record, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    yield orjson.dumps({"head": {"seq": head.seq, "hash": head.hash}}, option=orjson.OPT_APPEND_NEWLINE)
