"""The files of a SQLite log: made private, never through a link, and watched for exchange."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from urllib.parse import quote

from phasegate.decision_log.sqlite_query import register
from phasegate.errors import LogUnavailable

DIRECTORY_MODE = 0o700
FILE_MODE = 0o600
BUSY_SECONDS = 5.0
_SIDE_FILES = ("", "-wal", "-shm", "-journal")
_WAL_BYTES = 64 * 1024 * 1024
_LONGEST_VALUE = 1024 * 1024
_SHARED_BITS = 0o077

_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_BUSY: "another process holds it",
    sqlite3.SQLITE_LOCKED: "another process holds it",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is no database",
    sqlite3.SQLITE_CANTOPEN: "the file can't be opened",
    sqlite3.SQLITE_PERM: "the system forbids it",
    sqlite3.SQLITE_AUTH: "the system forbids it",
    sqlite3.SQLITE_TOOBIG: "an entry is too large",
    sqlite3.SQLITE_INTERRUPT: "it took too long",
}


# SQLite's message may quote a damaged schema, which then is not UTF-8.
DATABASE_ERRORS = (sqlite3.Error, UnicodeDecodeError)


def primary_code(error: Exception) -> int:
    """SQLite's result code without its extension; 0 for an error of the Python module itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def unavailable(error: Exception, doing: str) -> LogUnavailable:
    """The error that callers see; it names no path."""
    other = "the file is damaged" if isinstance(error, UnicodeDecodeError) else "the database refuses"
    reason = _REASONS.get(primary_code(error), other)
    remedy = "narrow the query by `since`, `run_id` or `session_id`" if "too long" in reason else ""
    return LogUnavailable(f"the decision log can't be {doing}: {reason}", remedy=remedy)


def prepare(path: Path) -> None:
    """Make the directory and the file unless they exist, readable for the owner alone.

    Raises `LogUnavailable` when a link or anything but a regular file is in the way.
    """
    try:
        if not path.parent.is_dir():
            path.parent.parent.mkdir(parents=True, exist_ok=True)
            path.parent.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        refuse_odd(path)
        # An existing file is not opened: closing it would drop the locks of another connection.
        if path.exists():
            if stat.S_IMODE(path.stat().st_mode) & _SHARED_BITS:
                path.chmod(FILE_MODE)
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(path, flags, FILE_MODE))
        _sync_directory(path.parent)
    except FileExistsError:
        return  # another process made it just now
    except OSError as error:
        raise LogUnavailable(f"the decision log `{path.name}` can't be made: {error.strerror}") from error


def refuse_odd(path: Path) -> None:
    """Refuse a log of which any file is a link or of another kind."""
    for suffix in _SIDE_FILES:
        name = path.name + suffix
        try:
            mode = os.lstat(path.with_name(name)).st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            raise LogUnavailable(
                f"the decision log `{name}` is a link or not a regular file",
                remedy="remove it, or name another file with `--log`",
            )


def identity(path: str | Path) -> tuple[int, int] | None:
    """Device and inode of the file, None when it is gone."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def connect_writer(path: Path) -> sqlite3.Connection:
    """The one connection that writes. A commit returns when the records are on the disk."""
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path) -> sqlite3.Connection:
    """A connection that can't write and can't be made to load a huge value."""
    connection = _connect(path, "ro")
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        register(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    # Text that is not UTF-8 is damage to be shown, not an error to be raised.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
