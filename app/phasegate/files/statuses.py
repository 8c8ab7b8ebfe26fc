"""Statuses of a fixed list of names in one directory, looked at together and often.

Of the time that `os.stat` takes, half goes into a result of nineteen numbers. Where the
C library can be asked directly its answers stay bytes, so that "nothing has changed" is
one comparison; elsewhere the same is done with `os.stat`.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from phasegate.files.read import NO_SUCH_NAME

RawSignature = tuple[int, int, int, int, int]
"""The fields of a `phasegate.files.read.Signature`, and equal to it."""

REFUSED_SIGNATURE: RawSignature = (-1, -1, -1, -1, -1)
"""Stands for a name that the system refuses to look up."""

_MACHINES = ("x86_64", "aarch64")
_STATUS_BYTES = 144
"""Size of a `struct stat` on these machines, or more."""

_FIELDS = struct.Struct("=QQ32xq32xqqqq")
"""In it: device, inode, size, time of change (s, ns), time of status change (s, ns)."""

_SECOND_NS = 1_000_000_000
_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW = 0x100


class Statuses(Protocol):
    """Names of one open directory, links not followed. For one thread at a time."""

    def unchanged(self) -> bool:
        """Look at all of them; whether they show what they showed at the look before."""

    def signatures(self) -> list[RawSignature | None]:
        """The fields of each name's `Signature` at the last look; None where there was no such name."""


def statuses(fd: int, names: Sequence[bytes]) -> Statuses:
    """The statuses of *names* in the directory that is open as *fd*."""
    return PlainStatuses(fd, names) if _FSTATAT is None else RawStatuses(_FSTATAT, fd, names)


def raw_signatures(fd: int, names: Iterable[str | bytes]) -> list[RawSignature | None]:
    """The fields of each name's `Signature` in the directory *fd* now. Bytes cost a fifth less to look up."""
    found: list[RawSignature | None] = []
    look = os.stat
    for name in names:
        try:
            status = look(name, dir_fd=fd, follow_symlinks=False)
        except ValueError:
            found.append(None)
        except OSError as error:
            found.append(_failure(error.errno))
        else:
            # A plain tuple: building the named one costs a third of the loop.
            found.append(
                (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            )
    return found


class PlainStatuses:
    """By `os.stat`."""

    def __init__(self, fd: int, names: Sequence[bytes]) -> None:
        self._fd = fd
        self._names = names
        self._seen: list[RawSignature | None] = []

    def unchanged(self) -> bool:
        before, self._seen = self._seen, raw_signatures(self._fd, self._names)
        return before == self._seen

    def signatures(self) -> list[RawSignature | None]:
        return list(self._seen)


class RawStatuses:
    """By the C library. What was seen is the error number of each name, or 0, and the bytes of all statuses."""

    def __init__(self, fstatat: Any, fd: int, names: Sequence[bytes]) -> None:
        self._fstatat = fstatat
        self._buffer = ctypes.create_string_buffer(_STATUS_BYTES * len(names))
        start = ctypes.addressof(self._buffer)
        self._arguments = [
            (
                ctypes.c_int(fd),
                ctypes.c_char_p(name),
                ctypes.c_void_p(start + _STATUS_BYTES * index),
                ctypes.c_int(_AT_SYMLINK_NOFOLLOW),
            )
            for index, name in enumerate(names)
        ]
        self._errors: list[int] = []
        self._data = b""

    def unchanged(self) -> bool:
        fstatat, failed = self._fstatat, ctypes.get_errno
        errors = [fstatat(*each) and failed() for each in self._arguments]
        data = self._buffer.raw
        if errors == self._errors and data == self._data:
            return True
        self._errors, self._data = errors, data
        return False

    def signatures(self) -> list[RawSignature | None]:
        found: list[RawSignature | None] = []
        for index, error in enumerate(self._errors):
            if error:
                found.append(_failure(error))
                continue
            dev, ino, size, *times = _FIELDS.unpack_from(self._data, _STATUS_BYTES * index)
            changed, status_changed = (times[at] * _SECOND_NS + times[at + 1] for at in (0, 2))
            found.append((dev, ino, size, changed, status_changed))
        return found


def _failure(error: int | None) -> RawSignature | None:
    return None if error in NO_SUCH_NAME else REFUSED_SIGNATURE


def _library() -> Any:
    """The C library's `fstatat`; None where it can't be had or its answers are not understood."""
    if sys.platform != "linux" or os.uname().machine not in _MACHINES or sys.maxsize < 1 << 32:
        return None
    try:
        fstatat = ctypes.CDLL(None, use_errno=True).fstatat
    except (OSError, AttributeError):
        return None
    probe = RawStatuses(fstatat, _AT_FDCWD, (b"/",))
    probe.unchanged()
    return fstatat if probe.signatures() == raw_signatures(_AT_FDCWD, ("/",)) else None


_FSTATAT = _library()
