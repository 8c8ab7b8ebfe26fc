"""The embedded store: one SQLite file, write-ahead log, every commit synced."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

from phasegate.decision_log.chain import GENESIS, Head, canonical_bytes, link
from phasegate.decision_log.query import Page, Query, page_of
from phasegate.decision_log.record import DecisionRecord, Entry
from phasegate.decision_log.sqlite_files import (
    DATABASE_ERRORS,
    connect_reader,
    connect_writer,
    identity,
    prepare,
    primary_code,
    refuse_odd,
    unavailable,
)
from phasegate.decision_log.sqlite_query import matching
from phasegate.decision_log.sqlite_rows import COLUMNS, decode, encode, id_cell, touched
from phasegate.decision_log.sqlite_schema import check_version, migrate
from phasegate.errors import LogUnavailable

QUERY_SECONDS = 5.0
_IDLE_READERS = 4
_TERMS_KEPT = 20_000
_SCANNED = 500
_STEPS_BETWEEN_LOOKS = 20_000
_HASH_BYTES = 32
# After these the connection itself is sound and only the transaction is lost.
_PASSING = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}

_INSERT = f"INSERT INTO records ({', '.join(COLUMNS)}) VALUES "  # noqa: S608 (constants)
_INSERT_TOUCHED = "INSERT INTO touched (path, seq) VALUES "
# A batch is inserted in few statements, not row by row: each step gives the interpreter's
# lock away, and a thread that is busy answering requests keeps it for milliseconds.
_ROWS_AT_ONCE = (128, 32, 8, 4, 2, 1)
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM records"  # noqa: S608 (constants)


class SqliteStore:
    """A log in the file *path*, made when it is not there. With *read_only* it must be there already.

    Several processes may write to one file: each append takes the write transaction
    first and goes on from the head it then finds.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._write_lock = Lock()
        self._pool_lock = Lock()
        self._readers: list[sqlite3.Connection] = []
        self._writer: _Writer | None = None
        self._closed = False
        try:
            self._open()
        except BaseException as error:
            self._drop_writer()
            if isinstance(error, DATABASE_ERRORS):
                raise unavailable(error, "opened") from error
            raise
        self._identity = identity(path)

    def append_many(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        with self._write_lock:
            self._check_open()
            if self._read_only:
                raise LogUnavailable("the decision log was opened for reading only")
            if identity(self._path) != self._identity:
                raise LogUnavailable(
                    f"the decision log `{self._path.name}` was removed or exchanged while in use",
                    remedy="put it back, or restart the service to begin another one",
                )
            try:
                return self._append(records)
            except DATABASE_ERRORS as error:
                if primary_code(error) not in _PASSING:
                    self._drop_writer()
                raise unavailable(error, "written") from error

    def query(self, query: Query) -> Page:
        with self._reader(QUERY_SECONDS) as connection:
            try:
                numbers = matching(connection, query)
            except UnicodeEncodeError:  # a lone surrogate: no record holds one
                numbers = []
            found = [self._record(connection, seq, {}) for seq in numbers]
        return page_of([record for record in found if record is not None], query)

    def get(self, decision_id: str) -> dict[str, Any] | None:
        with self._reader(QUERY_SECONDS) as connection:
            sql = "SELECT seq FROM records WHERE decision_id = ?"
            try:
                row = connection.execute(sql, (id_cell(decision_id),)).fetchone()
            except UnicodeEncodeError:  # a lone surrogate: no record holds one
                return None
            return self._record(connection, row[0], {}) if row is not None else None

    def scan(self, after: int = 0) -> Iterator[dict[str, Any]]:
        # Read afresh each time: a term that was edited must not be hidden by an older copy.
        known: dict[tuple[int, int], str | None] = {}
        while True:
            with self._reader(None) as connection:
                sql = "SELECT seq FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
                numbers = [row[0] for row in connection.execute(sql, (after, _SCANNED))]
                records = self._records(connection, numbers, known)
            if not numbers:
                return
            yield from records
            after = numbers[-1]

    def head(self) -> Head:
        with self._reader(None) as connection:
            return _noted_head(connection)

    def close(self) -> None:
        with self._write_lock, self._pool_lock:
            self._closed = True
            for connection in self._readers:
                connection.close()
            self._readers.clear()
            self._drop_writer()

    def _open(self) -> None:
        if self._read_only:
            refuse_odd(self._path)
            with self._reader(None) as connection:
                check_version(connection, self._path.name)
            return
        prepare(self._path)
        self._writer = _Writer(connect_writer(self._path))
        refuse_odd(self._path)
        migrate(self._writer.connection, self._path.name)

    def _check_open(self) -> None:
        if self._closed:
            raise LogUnavailable("the decision log is closed")

    def _drop_writer(self) -> None:
        """Close the writing connection; the next append opens another one."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(*DATABASE_ERRORS):
                writer.connection.close()

    def _append(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        if self._writer is None:
            self._writer = _Writer(connect_writer(self._path))
        return self._writer.append(records)

    @contextmanager
    def _reader(self, seconds: float | None) -> Iterator[sqlite3.Connection]:
        """Lend a reading connection. With *seconds* a statement that runs longer is broken off."""
        self._check_open()
        try:
            with self._pool_lock:
                connection = self._readers.pop() if self._readers else None
            connection = connection or connect_reader(self._path)
            deadline = time.monotonic() + seconds if seconds is not None else None
            late = (lambda: time.monotonic() > deadline) if deadline is not None else None
            connection.set_progress_handler(late, _STEPS_BETWEEN_LOOKS)
            try:
                yield connection
            finally:
                self._give_back(connection)
        except DATABASE_ERRORS as error:
            raise unavailable(error, "read") from error

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._pool_lock:
            if self._closed or len(self._readers) >= _IDLE_READERS:
                connection.close()
            else:
                self._readers.append(connection)

    def _records(
        self, connection: sqlite3.Connection, numbers: Sequence[int], known: dict[tuple[int, int], str | None]
    ) -> list[dict[str, Any]]:
        """The records with these consecutive numbers; singly when one of them can't be loaded."""
        if not numbers:
            return []
        try:
            rows = connection.execute(
                f"{_SELECT} WHERE seq BETWEEN ? AND ? ORDER BY seq", (numbers[0], numbers[-1])
            ).fetchall()
        except DATABASE_ERRORS:
            found = [self._record(connection, seq, known) for seq in numbers]
            return [record for record in found if record is not None]
        return [decode(row, _term_reader(connection, known)) for row in rows]

    def _record(
        self, connection: sqlite3.Connection, seq: int, known: dict[tuple[int, int], str | None]
    ) -> dict[str, Any] | None:
        try:
            row = connection.execute(f"{_SELECT} WHERE seq = ?", (seq,)).fetchone()
        except DATABASE_ERRORS as error:
            if primary_code(error) == sqlite3.SQLITE_INTERRUPT:
                raise
            return {"seq": seq, "damaged": "it can't be loaded: a value is too large or the file is damaged"}
        return decode(row, _term_reader(connection, known)) if row is not None else None


class _Writer:
    """The writing connection, and the numbers it knows of the texts in `terms`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._known: dict[tuple[int, str], int] = {}
        # Those of the unfinished transaction: nothing is known of them if it fails.
        self._pending: dict[tuple[int, str], int] = {}

    def append(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            entries = self._insert(records)
            self.connection.execute("COMMIT")
        except BaseException:
            self._pending.clear()
            with suppress(*DATABASE_ERRORS):
                self.connection.execute("ROLLBACK")
            raise
        if len(self._known) + len(self._pending) > _TERMS_KEPT:
            self._known.clear()
        self._known |= self._pending
        self._pending.clear()
        return entries

    def _insert(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        head = _last_head(self.connection)
        rows: list[tuple[Any, ...]] = []
        paths: set[tuple[int, int]] = set()
        entries: list[Entry] = []
        for record in records:
            seq = head.seq + 1
            entry = Entry(seq, head.hash, link(head.hash, canonical_bytes({**record.fields, "seq": seq})))
            rows.append(encode(record.fields, entry, self._number))
            paths |= touched(record.fields, seq, self._number)
            entries.append(entry)
            head = Head(seq, entry.hash)
        _insert_rows(self.connection, _INSERT, rows)
        _insert_rows(self.connection, _INSERT_TOUCHED, list(paths))
        noted = (head.seq, bytes.fromhex(head.hash))
        self.connection.execute("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", noted)
        return entries

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


def _insert_rows(connection: sqlite3.Connection, insert: str, rows: Sequence[tuple[Any, ...]]) -> None:
    done = 0
    for size in _ROWS_AT_ONCE:
        while len(rows) - done >= size:
            values = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * size)
            connection.execute(insert + values, tuple(chain.from_iterable(rows[done : done + size])))
            done += size


def _term_reader(connection: sqlite3.Connection, known: dict[tuple[int, int], str | None]) -> Any:
    def text(field: int, number: int) -> str | None:
        key = (field, number)
        if key not in known:
            try:
                row = connection.execute(
                    "SELECT text FROM terms WHERE id = ? AND field = ?", (number, field)
                ).fetchone()
            except DATABASE_ERRORS:
                row = None
            known[key] = row[0] if row is not None and isinstance(row[0], str) else None
        return known[key]

    return text


def _noted_head(connection: sqlite3.Connection) -> Head:
    row = connection.execute("SELECT seq, hash FROM head WHERE one = 1").fetchone()
    return _head(row) if row is not None else Head()


def _last_head(connection: sqlite3.Connection) -> Head:
    """What the next record follows: the noted head, or a record beyond it, which a check reports."""
    noted = _noted_head(connection)
    row = connection.execute("SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1").fetchone()
    last = _head(row) if row is not None else Head()
    return last if last.seq > noted.seq else noted


def _head(row: tuple[Any, Any]) -> Head:
    seq, digest = row
    sound = isinstance(digest, bytes) and len(digest) == _HASH_BYTES
    return Head(seq if type(seq) is int else 0, digest.hex() if sound else GENESIS)
