"""An optional copy of the log in the peer's own JSON Lines files, for its status views.

The decision log is the record; a mirror is best effort and never changes an answer. It
keeps the newest `KEPT` rows, lives in the workspace's control directory, and is not made
where there is no such directory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any

import orjson

from phasegate.decision_log.record import expanded
from phasegate.errors import PhasegateError
from phasegate.files.directory import Directory
from phasegate.files.runlock import locked
from phasegate.files.write import DEFAULT_MODE, make_directories, replace

KEPT = 500
DEFAULT_READ = 20
_ROW_BYTES = 16 * 1024
_FILE_BYTES = 8 * 1024 * 1024
_LOCK_SECONDS = 2.0
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def decision_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """A decision record as the peer writes one; reason, transition and ask only where there are any."""
    full = expanded(record)
    row = {
        "at": full["at"],
        "runId": full["run_id"] or "",
        "tool": full["tool"],
        "kind": full["kind"],
        "rule": full["rule"],
    }
    reason = full["reason"] if full["kind"] == "deny" else full["warning"]
    optional = {"reason": reason, "transition": full["transition"], "ask": full["ask"]}
    return row | {name: value for name, value in optional.items() if value}


def tamper_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """A tamper record as the peer writes one."""
    full = expanded(record)
    path = next((target["rel"] for target in full["targets"]), "")
    return {"at": full["at"], "runId": full["run_id"] or "", "path": path, "reason": full["reason"]}


class Mirror:
    """One of the peer's logs. *control* and *log* are paths as the workflow names them."""

    def __init__(self, control: str, log: str) -> None:
        directory, _, self._name = f"{control}/{log}".rpartition("/")
        self._control = control
        self._directory = directory

    def append(self, root: str, row: Mapping[str, Any]) -> bool:
        """Add *row* to the mirror of the workspace at *root*; False when that could not be done."""
        try:
            line = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
            if len(line) > _ROW_BYTES:
                return False
            with Directory.open_root(root) as top:
                top.below(self._control).close()
                make_directories(top, self._directory)
                with locked(top, self._directory, timeout=_LOCK_SECONDS) as place:
                    self._append(place, line)
        except (OSError, PhasegateError, orjson.JSONEncodeError):
            return False
        return True

    def read(self, root: str, limit: int = DEFAULT_READ) -> list[dict[str, Any]]:
        """The newest *limit* rows, newest first; all of them for a limit below one. Never raises."""
        try:
            with Directory.open_root(root) as top, top.below(self._directory) as place:
                lines = _lines(place, self._name)
        except (OSError, PhasegateError):
            return []
        rows = [row for line in reversed(lines) if (row := _row(line)) is not None]
        return rows[:limit] if limit > 0 else rows

    def _append(self, place: Directory, line: bytes) -> None:
        rows = [old for old in _lines(place, self._name) if _row(old) is not None]
        if len(rows) < KEPT:
            _add_line(place, self._name, line)
        else:
            newest = [*rows[1 - KEPT :], line.rstrip(b"\n")]
            replace(place, self._name, b"\n".join(newest) + b"\n", limit=_FILE_BYTES)


def _lines(place: Directory, name: str) -> list[bytes]:
    """The lines of the file's last megabytes; none when there is no file."""
    try:
        descriptor = os.open(name, _READ, dir_fd=place.descriptor)
    except FileNotFoundError:
        return []
    try:
        size = _regular_size(descriptor)
        start = max(0, size - _FILE_BYTES)
        lines = os.pread(descriptor, size - start, start).split(b"\n")
    finally:
        os.close(descriptor)
    return lines[1:] if start else lines


def _row(line: bytes) -> dict[str, Any] | None:
    """The row in *line*; None for a blank, torn or other line that holds no object."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None


def _add_line(place: Directory, name: str, line: bytes) -> None:
    """Append *line*, on a line of its own also after one that was torn."""
    descriptor = os.open(name, _APPEND, DEFAULT_MODE, dir_fd=place.descriptor)
    try:
        size = _regular_size(descriptor)
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        os.write(descriptor, b"\n" + line if torn else line)
    finally:
        os.close(descriptor)


def _regular_size(descriptor: int) -> int:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise FileNotFoundError("not a regular file")
    return status.st_size
