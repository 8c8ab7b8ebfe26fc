"""Bounded reads of files that an agent may be changing, or may have made to hurt.

Only regular files are read, never past a cap, and never through a link in the last
place. A read whose file changed meanwhile is thrown away and repeated. Nothing here
raises for a name or a file, however odd: the answer is one of three outcomes.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

KIB = 1024
MIB = 1024 * KIB
ARTIFACT_BYTES = 4 * MIB
POLICY_BYTES = 256 * KIB
READ_RECEIPTS_BYTES = 1 * MIB
LOCK_RECEIPT_BYTES = 64 * KIB

TICK_NS = 20_000_000
"""Longer than the tick of any kernel's file clock (10 ms where it is slowest)."""

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_ATTEMPTS = 6
_CHUNK = 1 * MIB

# A name that the system can't even express names no file; neither does one below a file.
NO_SUCH_NAME = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
# A socket or a device without a driver can't be opened, a path through a loop can't be walked.
_WRONG_KIND = {errno.ENXIO: "not a regular file", errno.ENODEV: "not a regular file", errno.ELOOP: "a link"}

_watchers: list[list[str]] = []


class Signature(NamedTuple):
    """What tells one state of a file from another. Times in nanoseconds, size in bytes."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no such name."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The name exists and was not read. `reason` completes "it is ...".

    `system`: the operating system refused, or the file would not hold still, so what
    it holds is not known. Otherwise the file is of a kind or size that is never read.
    """

    reason: str
    system: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of one consistent state of a file, and that state's signature."""

    data: bytes
    signature: Signature


Outcome = Absent | Refused | Content

ABSENT = Absent()


@contextmanager
def watch_opens() -> Iterator[list[str]]:
    """Collect the name of every file and (with a `/` at its end) directory opened meanwhile."""
    opened: list[str] = []
    _watchers.append(opened)
    try:
        yield opened
    finally:
        _watchers.remove(opened)


def note_open(name: str) -> None:
    """Tell the watchers about an open; called by every opener of this package."""
    for watcher in _watchers:
        watcher.append(name)


def signature_of(status: os.stat_result) -> Signature:
    return Signature(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def outcome_of(error: OSError | ValueError) -> Absent | Refused:
    """Translate what the system raised. `ValueError` is a NUL or a code point that no name can hold."""
    if isinstance(error, ValueError) or error.errno in NO_SUCH_NAME:
        return ABSENT
    if error.errno in _WRONG_KIND:
        return Refused(_WRONG_KIND[error.errno])
    return Refused(f"unreadable ({reason_of(error)})", system=True)


def reason_of(error: OSError) -> str:
    """The system's words for an error, without the path that `str(error)` carries."""
    return os.strerror(error.errno).lower() if error.errno else "unknown error"


def read_file(name: str, cap: int, *, dir_fd: int | None = None) -> Outcome:
    """Read the regular file *name*, at most *cap* bytes, relative to *dir_fd* if given.

    A link in the last place is refused; links before it are followed. A change during
    the read shows in the signature unless the file changed in the same tick before, so
    a file that has just changed must give the same bytes twice.
    """
    last: Content | None = None
    for _ in range(_ATTEMPTS):
        outcome = _read_once(name, cap, dir_fd)
        if isinstance(outcome, Content):
            if outcome == last or time.time_ns() - outcome.signature.ctime_ns > TICK_NS:
                return outcome
        elif outcome is not None:
            return outcome
        last = outcome
    return Refused("changing while it is read", system=True)


def read_linked(path: str, within: tuple[str, ...], cap: int) -> Outcome:
    """Read what the link at *path* leads to, if that lies below one of the real directories *within*."""
    try:
        real = os.path.realpath(path, strict=True)
    except (OSError, ValueError) as error:
        outcome = outcome_of(error)
        return Refused("a link that leads nowhere") if outcome is ABSENT else outcome
    if not any(real.startswith(directory.rstrip("/") + "/") for directory in within):
        return Refused("a link that leaves the workspace")
    return read_file(real, cap)


def file_signature(path: str) -> Signature | Absent | Refused:
    """Signature of the regular file at *path*, links followed."""
    try:
        status = os.stat(path)  # noqa: PTH116 (texts in, and cheaper than a Path)
    except (OSError, ValueError) as error:
        return outcome_of(error)
    return signature_of(status) if stat.S_ISREG(status.st_mode) else Refused(kind_text(status.st_mode))


def kind_text(mode: int) -> str:
    """What a file that is not read is, to complete "it is ..."."""
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a link" if stat.S_ISLNK(mode) else "not a regular file"


def _read_once(name: str, cap: int, dir_fd: int | None) -> Outcome | None:
    """One attempt; None when the file changed under it."""
    try:
        # Looked at before it is opened: opening alone makes some devices act.
        status = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
        refused = _refusal(status, cap)
        if refused is not None:
            return refused
        fd = os.open(name, _FLAGS, dir_fd=dir_fd)
    except (OSError, ValueError) as error:
        return outcome_of(error)
    note_open(name)
    try:
        return _read_open(fd, cap)
    except OSError as error:
        return outcome_of(error)
    finally:
        os.close(fd)


def _read_open(fd: int, cap: int) -> Outcome | None:
    before = os.fstat(fd)
    refused = _refusal(before, cap)
    if refused is not None:
        return refused
    chunks: list[bytes] = []
    size = 0
    while size <= cap:
        chunk = os.read(fd, min(_CHUNK, cap + 1 - size))
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    after = signature_of(os.fstat(fd))
    if after != signature_of(before) or size != after.size:
        return None
    return Content(b"".join(chunks), after)


def _refusal(status: os.stat_result, cap: int) -> Refused | None:
    if not stat.S_ISREG(status.st_mode):
        return Refused(kind_text(status.st_mode))
    if status.st_size > cap:
        return Refused(f"over {cap // MIB} MiB" if cap >= MIB else f"over {cap // KIB} KiB")
    return None
