"""The embedded store: one SQLite file, write-ahead log, every commit synced."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from phasegate.decision_log.chain import Head
from phasegate.decision_log.query import Page, Query, page_of
from phasegate.decision_log.record import DecisionRecord, Entry
from phasegate.decision_log.sqlite_checkpoint import Checkpoints
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
from phasegate.decision_log.sqlite_query import IS_FRESH, matching
from phasegate.decision_log.sqlite_rows import COLUMNS, decode, id_cell
from phasegate.decision_log.sqlite_schema import check_version, migrate
from phasegate.decision_log.sqlite_shapes import HAS_ID, RECENT
from phasegate.decision_log.sqlite_writer import Writer, noted_head
from phasegate.errors import LogUnavailable

QUERY_SECONDS = 5.0
_IDLE_READERS = 4
_SCANNED = 500
FRESH = 256
"""As many new records are worth moving to their indexes; about as many are looked through without."""

_MOST_FRESH = 8 * FRESH
_STEPS_BETWEEN_LOOKS = 20_000
# After these the connection itself is sound and only the transaction is lost.
_PASSING = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}

_TABLES = (("records", "1"), (RECENT, IS_FRESH))
_SELECT = tuple(f"SELECT {', '.join(COLUMNS)} FROM {table} WHERE {own}" for table, own in _TABLES)  # noqa: S608 (constants)
_BY_ID = (
    "SELECT seq FROM records WHERE decision_id = ?1",
    f"SELECT seq FROM fresh WHERE {HAS_ID} AND {IS_FRESH}",  # noqa: S608 (constants)
)
_NEXT = tuple(
    f"SELECT seq FROM {table} WHERE seq > ? AND {own} ORDER BY seq LIMIT ?"  # noqa: S608 (constants)
    for table, own in _TABLES
)


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
        self._writer: Writer | None = None
        self._settle_at = _MOST_FRESH
        self._checkpoints = Checkpoints(path)
        self._closed = False
        try:
            self._open()
        except BaseException as error:
            self._drop_writer()
            if isinstance(error, DATABASE_ERRORS):
                raise unavailable(error, "opened") from error
            raise
        self._where = str(path)
        self._identity = identity(path)

    def append_many(self, records: Sequence[DecisionRecord]) -> list[Entry]:
        with self._write_lock:
            self._check_open()
            if self._read_only:
                raise LogUnavailable("the decision log was opened for reading only")
            if identity(self._where) != self._identity:
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

    def tidy(self) -> bool:
        """Move the newest records to where their indexes are; whether there were enough to be worth it."""
        with self._write_lock:
            writer = self._writer
            if self._closed or writer is None or writer.fresh < FRESH:
                return False
            try:
                writer.settle(_MOST_FRESH)
                self._checkpoints.moved(writer.connection)
            except DATABASE_ERRORS as error:
                # It may be left in a state in which a commit does not wait for the disk.
                self._drop_writer()
                raise unavailable(error, "tidied") from error
            return True

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
            try:
                cell = id_cell(decision_id)
                rows = [connection.execute(sql, (cell,)).fetchone() for sql in _BY_ID]
            except UnicodeEncodeError:  # a lone surrogate: no record holds one
                return None
            found = next((row for row in rows if row is not None), None)
            return self._record(connection, found[0], {}) if found is not None else None

    def scan(self, after: int = 0) -> Iterator[dict[str, Any]]:
        # Read afresh each time: a term that was edited must not be hidden by an older copy.
        known: dict[tuple[int, int], str | None] = {}
        while True:
            with self._reader(None) as connection:
                numbers: list[int] = []
                for sql in _NEXT:
                    bounds = (after, _SCANNED - len(numbers))
                    numbers += [row[0] for row in connection.execute(sql, bounds)]
                records = self._records(connection, numbers, known)
            if not numbers:
                return
            yield from records
            after = numbers[-1]

    def head(self) -> Head:
        with self._reader(None) as connection:
            return noted_head(connection)

    def close(self) -> None:
        with self._write_lock, self._pool_lock:
            self._closed = True
            for connection in self._readers:
                connection.close()
            self._readers.clear()
            self._checkpoints.close()
            self._drop_writer()

    def _open(self) -> None:
        if self._read_only:
            refuse_odd(self._path)
            with self._reader(None) as connection:
                check_version(connection, self._path.name)
            return
        prepare(self._path)
        connection = connect_writer(self._path)
        try:
            refuse_odd(self._path)
            migrate(connection, self._path.name)
            self._writer = Writer(connection)
        except BaseException:
            connection.close()
            raise

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
        writer = self._connected()
        if writer.fresh >= self._settle_at:
            try:
                writer.settle(_MOST_FRESH)
            except DATABASE_ERRORS:
                # What stands in the way of a move must not stand in that of a record; `tidy` tells of it.
                self._settle_at *= 2
                self._drop_writer()
                writer = self._connected()
        return writer.append(records)

    def _connected(self) -> Writer:
        if self._writer is None:
            self._writer = Writer(connect_writer(self._path))
        return self._writer

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
                # One state of the file: records that are being moved are neither missed nor met twice.
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection)
        except DATABASE_ERRORS as error:
            raise unavailable(error, "read") from error

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.set_progress_handler(None, 0)
            connection.execute("ROLLBACK")
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
            rows = [
                row
                for select in _SELECT
                for row in connection.execute(
                    f"{select} AND seq BETWEEN ? AND ? ORDER BY seq", (numbers[0], numbers[-1])
                )
            ]
        except DATABASE_ERRORS:
            found = [self._record(connection, seq, known) for seq in numbers]
            return [record for record in found if record is not None]
        return [decode(row, _term_reader(connection, known)) for row in rows]

    def _record(
        self, connection: sqlite3.Connection, seq: int, known: dict[tuple[int, int], str | None]
    ) -> dict[str, Any] | None:
        try:
            rows = [connection.execute(f"{select} AND seq = ?", (seq,)).fetchone() for select in _SELECT]
        except DATABASE_ERRORS as error:
            if primary_code(error) == sqlite3.SQLITE_INTERRUPT:
                raise
            return {"seq": seq, "damaged": "it can't be loaded: a value is too large or the file is damaged"}
        row = next((row for row in rows if row is not None), None)
        return decode(row, _term_reader(connection, known)) if row is not None else None


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
