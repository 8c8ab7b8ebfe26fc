"""The writing connection of a SQLite log: head, terms, and records as rows, one transaction at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain
from typing import Any

from phasegate.decision_log.chain import GENESIS, Head, canonical_again, canonical_bytes, link
from phasegate.decision_log.record import DecisionRecord, Entry, RecordStem
from phasegate.decision_log.sqlite_files import DATABASE_ERRORS
from phasegate.decision_log.sqlite_rows import (
    COLUMNS,
    SharedCells,
    encode,
    encode_again,
    paths_cell,
    shared_cells,
)

_TERMS_KEPT = 20_000
_HASH_BYTES = 32

_COLUMNS = ", ".join(COLUMNS)
_INSERT = f"INSERT INTO fresh ({_COLUMNS}, paths) VALUES "  # noqa: S608 (constants)
_SETTLE = (
    f"INSERT INTO records ({_COLUMNS}) SELECT {_COLUMNS} FROM fresh WHERE seq <= ?1",  # noqa: S608 (constants)
    """INSERT OR IGNORE INTO touched (path, seq) SELECT term.value, fresh.seq FROM fresh,
        json_each(CASE WHEN json_valid(paths) THEN paths ELSE '[]' END) AS term WHERE fresh.seq <= ?1""",
    "DELETE FROM fresh WHERE seq <= ?1",
)
# A batch is inserted in few statements, not row by row: each step gives the interpreter's
# lock away, and a thread that is busy answering requests keeps it for milliseconds.
_ROWS_AT_ONCE = (128, 32, 8, 4, 2, 1)


class Writer:
    """The writing connection, and the numbers it knows of the texts in `terms`.

    `fresh`: records that wait to be settled, as far as this connection knows.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._known: dict[tuple[int, str], int] = {}
        # Those of the unfinished transaction: nothing is known of them if it fails.
        self._pending: dict[tuple[int, str], int] = {}
        self._cells: dict[RecordStem, SharedCells] = {}
        self._head = Head()
        self._version: int | None = None
        self.fresh: int = connection.execute("SELECT count(*) FROM fresh").fetchone()[0]

    def append(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        """Write *records*, all or none; durable when this returns."""
        with self._transaction():
            head, entries = self._insert(records)
        self._head = head
        self.fresh += len(records)
        self._keep()
        return entries

    def settle(self, most: int) -> None:
        """Move up to *most* of the fresh records to where their indexes are, oldest first.

        A move that is lost with the power changes nothing, so it does not wait for the disk.
        """
        self.connection.execute("PRAGMA synchronous = NORMAL")
        try:
            with self._transaction():
                numbers = self.connection.execute(
                    "SELECT seq FROM fresh ORDER BY seq LIMIT ?", (most,)
                ).fetchall()
                for statement in _SETTLE if numbers else ():
                    self.connection.execute(statement, numbers[-1])
        finally:
            self.connection.execute("PRAGMA synchronous = FULL")
        self.fresh = max(0, self.fresh - len(numbers))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            self._forget()
            with suppress(*DATABASE_ERRORS):
                self.connection.execute("ROLLBACK")
            raise

    def _insert(self, records: Sequence[DecisionRecord]) -> tuple[Head, list[Entry]]:
        head = self._last_head()
        rows: list[tuple[Any, ...]] = []
        entries: list[Entry] = []
        for record in records:
            seq = head.seq + 1
            entry = Entry(seq, head.hash, link(head.hash, _canonical(record, seq)))
            cells = self._shared_cells(record)
            if cells is None:
                paths = paths_cell(record.fields, self._number)
                rows.append((*encode(record.fields, entry, self._number), paths))
            else:
                rows.append((*encode_again(record.fields, entry, cells), cells.paths))
            entries.append(entry)
            head = Head(seq, entry.hash)
        _insert_rows(self.connection, _INSERT, rows)
        noted = (head.seq, bytes.fromhex(head.hash))
        self.connection.execute("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", noted)
        return head, entries

    def _last_head(self) -> Head:
        """What the next record follows. Read again only when another connection has written."""
        version: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._head = _last_head(self.connection)
            self._version = version
        return self._head

    def _shared_cells(self, record: DecisionRecord) -> SharedCells | None:
        """What the rows of a stem share, once its terms are committed; None for a record without one."""
        stem = record.stem
        if stem is None:
            return None
        owner, cells = stem.derived.get(__name__, (None, None))
        if owner is self:
            known: SharedCells = cells
            return known
        made = self._cells.get(stem)
        if made is None:
            made = self._cells[stem] = shared_cells(stem.fields, self._number)
        return made

    def _keep(self) -> None:
        """What the finished transaction found out holds from now on."""
        if self._pending:
            if len(self._known) + len(self._pending) > _TERMS_KEPT:
                self._known.clear()
            self._known |= self._pending
            self._pending.clear()
        for stem, cells in self._cells.items():
            stem.derived[__name__] = (self, cells)
        self._cells.clear()

    def _forget(self) -> None:
        self._pending.clear()
        self._cells.clear()
        self._version = None

    def _number(self, field: int, text: str) -> int:
        key = (field, text)
        found = self._known.get(key) or self._pending.get(key)
        if found is None:
            row = self.connection.execute("SELECT id FROM terms WHERE field = ? AND text = ?", key).fetchone()
            found = int(row[0]) if row is not None else self._new_term(key)
            self._pending[key] = found
        return found

    def _new_term(self, key: tuple[int, str]) -> int:
        added = self.connection.execute("INSERT INTO terms (field, text) VALUES (?, ?)", key)
        return added.lastrowid or 0


def noted_head(connection: sqlite3.Connection) -> Head:
    """The head that was noted with the last commit."""
    row = connection.execute("SELECT seq, hash FROM head WHERE one = 1").fetchone()
    return _head(row) if row is not None else Head()


def _canonical(record: DecisionRecord, seq: int) -> bytes:
    if record.stem is None:
        return canonical_bytes({**record.fields, "seq": seq})
    return canonical_again(record, record.stem, seq)


def _insert_rows(connection: sqlite3.Connection, insert: str, rows: Sequence[tuple[Any, ...]]) -> None:
    done = 0
    for size in _ROWS_AT_ONCE:
        while len(rows) - done >= size:
            part = rows[done : done + size]
            connection.execute(_statement(insert, len(part[0]), size), tuple(chain.from_iterable(part)))
            done += size


@lru_cache(maxsize=32)
def _statement(insert: str, columns: int, rows: int) -> str:
    return insert + ", ".join([f"({', '.join('?' * columns)})"] * rows)


def _last_head(connection: sqlite3.Connection) -> Head:
    """The noted head, or a record beyond it, which a check reports."""
    found = [noted_head(connection)]
    for table in ("records", "fresh"):
        sql = f"SELECT seq, hash FROM {table} ORDER BY seq DESC LIMIT 1"  # noqa: S608 (constants)
        row = connection.execute(sql).fetchone()
        if row is not None:
            found.append(_head(row))
    return max(found, key=lambda head: head.seq)


def _head(row: tuple[Any, Any]) -> Head:
    seq, digest = row
    sound = isinstance(digest, bytes) and len(digest) == _HASH_BYTES
    return Head(seq if type(seq) is int else 0, digest.hex() if sound else GENESIS)
