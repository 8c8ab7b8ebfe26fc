"""The writing connection of a SQLite log: head, terms, and records as rows, one transaction at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

from phasegate.decision_log.chain import GENESIS, Head, canonical_again, canonical_bytes, link
from phasegate.decision_log.record import DecisionRecord, Entry, RecordStem
from phasegate.decision_log.sqlite_files import DATABASE_ERRORS
from phasegate.decision_log.sqlite_rows import COLUMNS, HASH_BYTES, encode, paths_cell
from phasegate.decision_log.sqlite_shapes import (
    BRIEF_COLUMNS,
    RECENT,
    SHAPE_COLUMNS,
    Shape,
    brief_row,
    shape_of,
    whole_row,
)

_TERMS_KEPT = 20_000
# A stem that is met as often as this will be met again: it is worth a row in `shapes`, which stays.
_OFTEN = 8

# In pages. A write-ahead log of this length has outgrown the copies that are made on the side.
_LONG_WAL = 8000

_COLUMNS = ", ".join(COLUMNS)
_WHOLE = f"INSERT INTO fresh ({_COLUMNS}, paths) VALUES "  # noqa: S608 (constants)
_BRIEF = f"INSERT INTO fresh ({', '.join(BRIEF_COLUMNS)}) VALUES "  # noqa: S608 (constants)
_SHAPE = f"INSERT INTO shapes ({', '.join(SHAPE_COLUMNS)}) VALUES "  # noqa: S608 (constants)
_SETTLE = (
    f"INSERT INTO records ({_COLUMNS}) SELECT {_COLUMNS} FROM {RECENT} WHERE seq <= ?1",  # noqa: S608 (constants)
    f"""INSERT OR IGNORE INTO touched (path, seq) SELECT term.value, seq FROM {RECENT},
        json_each(CASE WHEN json_valid(paths) THEN paths ELSE '[]' END) AS term WHERE seq <= ?1""",  # noqa: S608 (constants)
    "DELETE FROM fresh WHERE seq <= ?1",
)
# A batch is inserted in few statements, not row by row: each step gives the interpreter's
# lock away, and a thread that is busy answering requests keeps it for milliseconds.
_ROWS_AT_ONCE = (64, 16)


class Writer:
    """The writing connection, and the numbers it knows of the texts in `terms`.

    `fresh`: records that wait to be settled, as far as this connection knows.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        self._known: dict[tuple[int, str], int] = {}
        # Those of the unfinished transaction: nothing is known of them if it fails.
        self._pending: dict[tuple[int, str], int] = {}
        self._shapes: dict[RecordStem, Shape] = {}
        self._head = Head()
        self._version: int | None = None
        self.fresh: int = connection.execute("SELECT count(*) FROM fresh").fetchone()[0]

    def append(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        """Write *records*, all or none; durable when this returns."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            head, entries = self._insert(records)
            self.connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        self._head = head
        self.fresh += len(records)
        self._keep()
        return entries

    def settle(self, most: int) -> None:
        """Move up to *most* of the fresh records to where their indexes are, oldest first.

        A move that is lost with the power changes nothing, so it does not wait for the disk.
        Here, and never in an append, a write-ahead log that has grown too long is copied into the file.
        """
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute(f"PRAGMA wal_autocheckpoint = {_LONG_WAL}")
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            numbers = self.connection.execute(
                "SELECT seq FROM fresh ORDER BY seq LIMIT ?", (most,)
            ).fetchall()
            for statement in _SETTLE if numbers else ():
                self.connection.execute(statement, numbers[-1])
            self.connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        finally:
            self.connection.execute("PRAGMA synchronous = FULL")
            self.connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.fresh = max(0, self.fresh - len(numbers))

    def _roll_back(self) -> None:
        self._pending.clear()
        self._shapes.clear()
        self._version = None
        with suppress(*DATABASE_ERRORS):
            self.connection.execute("ROLLBACK")

    def _insert(self, records: Sequence[DecisionRecord]) -> tuple[Head, list[Entry]]:
        head = self._last_head()
        seq, last = head.seq, head.hash
        whole: list[tuple[Any, ...]] = []
        brief: list[tuple[Any, ...]] = []
        entries: list[Entry] = []
        for record in records:
            fields, stem = record.fields, record.stem
            seq += 1
            entry = Entry(seq, last, link(last, _canonical(record, seq)))
            last = entry.hash
            entries.append(entry)
            if stem is None:
                whole.append((*encode(fields, entry, self._number), paths_cell(fields, self._number)))
                continue
            shape = self._shape(stem)
            row = brief_row(fields, entry, shape) if shape.id is not None else None
            if row is not None:
                brief.append(row)
            else:
                whole.append(whole_row(fields, entry, shape))
        _insert_rows(self.connection, _WHOLE, whole)
        _insert_rows(self.connection, _BRIEF, brief)
        noted = (seq, bytes.fromhex(last))
        self.connection.execute("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", noted)
        return Head(seq, last), entries

    def _last_head(self) -> Head:
        """What the next record follows. Read again only when another connection has written."""
        version: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._head = _last_head(self.connection)
            self._version = version
        return self._head

    def _shape(self, stem: RecordStem) -> Shape:
        """What the rows of *stem* share, with the numbers of this file."""
        shape = self._shapes.get(stem)
        if shape is None:
            owner, kept = stem.derived.get(__name__, (None, None))
            if owner is not self:
                shape = self._shapes[stem] = shape_of(stem.fields, self._number)
            else:
                shape = kept
        shape.uses += 1
        if shape.uses > _OFTEN and shape.id is None:
            added = self.connection.execute(_SHAPE + _marks(len(SHAPE_COLUMNS), 1), shape.row())
            shape = self._shapes[stem] = replace(shape, id=added.lastrowid)
        return shape

    def _keep(self) -> None:
        """What the finished transaction found out holds from now on."""
        if self._pending:
            if len(self._known) + len(self._pending) > _TERMS_KEPT:
                self._known.clear()
            self._known |= self._pending
            self._pending.clear()
        for stem, shape in self._shapes.items():
            stem.derived[__name__] = (self, shape)
        self._shapes.clear()

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
    while done < len(rows):
        left = len(rows) - done
        size = next((size for size in _ROWS_AT_ONCE if size <= left), left)
        part = rows[done : done + size]
        connection.execute(insert + _marks(len(part[0]), size), tuple(chain.from_iterable(part)))
        done += size


@lru_cache(maxsize=64)
def _marks(columns: int, rows: int) -> str:
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)


def _last_head(connection: sqlite3.Connection) -> Head:
    """The noted head, or a record beyond it, which a check reports."""
    found = [noted_head(connection)]
    for table in ("records", RECENT):
        sql = f"SELECT seq, hash FROM {table} ORDER BY seq DESC LIMIT 1"  # noqa: S608 (constants)
        row = connection.execute(sql).fetchone()
        if row is not None:
            found.append(_head(row))
    return max(found, key=lambda head: head.seq)


def _head(row: tuple[Any, Any]) -> Head:
    seq, digest = row
    sound = isinstance(digest, bytes) and len(digest) == HASH_BYTES
    return Head(seq if type(seq) is int else 0, digest.hex() if sound else GENESIS)
