"""The write-ahead log of a SQLite log, copied into the file where nobody waits for it."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from threading import Thread

from phasegate.decision_log.sqlite_files import DATABASE_ERRORS, connect_writer

logger = logging.getLogger("phasegate")
_COPY = "PRAGMA wal_checkpoint(PASSIVE)"
MOVES = 4
"""After as many moves it is worth to copy: they and their records leave some thousand pages."""


class Checkpoints:
    """Copies the write-ahead log of the file *path* from time to time, most of it in a thread of its own.

    A copy waits for the disk twice and takes longer than many commits. On a connection
    that does not write it keeps no commit waiting. What was committed meanwhile is copied
    between two commits: only then does the log begin anew, and to write over what is there
    costs the disk less than to lengthen a file. Not for several threads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._moves = 0
        self._thread: Thread | None = None
        self._error: Exception | None = None

    def moved(self, connection: sqlite3.Connection) -> None:
        """Count one move by *connection*; begin to copy, or finish that, when it is time.

        Raises what stopped a copy.
        """
        self._moves += 1
        if self._thread is None:
            if self._moves >= MOVES:
                self._begin()
        elif not self._thread.is_alive():
            self._moves, self._thread = 0, None
            error, self._error = self._error, None
            if error is not None:
                raise error
            connection.execute(_COPY).fetchone()

    def _begin(self) -> None:
        thread = Thread(target=self._copy, name="phasegate-log-copy", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            # The log's own thread must outlive that the system has no other to give; the next move tries again.
            logger.warning("the decision log could not be copied: %s", error)
            return
        self._thread = thread

    def close(self) -> None:
        """Wait for a copy that is under way."""
        if self._thread is not None:
            self._thread.join()

    def _copy(self) -> None:
        try:
            connection = connect_writer(self._path)
            try:
                connection.execute(_COPY).fetchone()
            finally:
                connection.close()
        except DATABASE_ERRORS as error:
            # Told by a later move: until then nobody is there to hear it.
            self._error = error
