"""Directories kept open, so that the names in them can be checked again cheaply.

A kept directory stays the one that was opened even when its path is given to another:
callers compare `identity` with what the path leads to now.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from phasegate.files.read import (
    Absent,
    Outcome,
    Refused,
    Signature,
    note_open,
    outcome_of,
    read_file,
    signature_of,
)
from phasegate.files.statuses import Statuses, statuses

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NONBLOCK
# Opens nothing: the descriptor only stands for the name.
_NAME_ONLY = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC if hasattr(os, "O_PATH") else None

NAMES = 100_000
"""Names of one directory that are looked through for links."""

Identity = tuple[int, int]
"""Device and inode."""

_NOT_A_DIRECTORY = Refused("not a directory")


class DirectoryEntry(NamedTuple):
    """A directory (or a link to one) found in another."""

    name: str
    signature: Signature
    linked: bool


@dataclass(frozen=True, slots=True)
class KeptDirectory:
    """An open directory. `close` must be called once; nothing may be asked after that."""

    fd: int
    identity: Identity

    def statuses(self, names: Sequence[bytes]) -> Statuses:
        """What *names* show, to be asked again and again, but not once this is closed."""
        return statuses(self.fd, names)

    def read(self, name: str, cap: int) -> Outcome:
        """Read a file of this directory."""
        return read_file(name, cap, dir_fd=self.fd)

    def open_directory(self, name: str) -> KeptDirectory | Absent | Refused:
        """Open a directory of this one; a link is refused."""
        return _open(name, _FLAGS | os.O_NOFOLLOW, self.fd)

    def close(self) -> None:
        os.close(self.fd)


def open_directory(path: str) -> KeptDirectory | Absent | Refused:
    """Open the directory at *path*, links followed."""
    return _open(path, _FLAGS, None)


def directory_identity(path: str) -> Identity | Absent | Refused:
    """Device and inode of the directory that *path* leads to, links followed."""
    try:
        status = os.stat(path)  # noqa: PTH116 (texts in, and cheaper than a Path)
    except (OSError, ValueError) as error:
        return outcome_of(error)
    if not stat.S_ISDIR(status.st_mode):
        return _NOT_A_DIRECTORY
    return status.st_dev, status.st_ino


def directory_signature(path: str) -> Signature | None:
    """Signature of what *path* leads to; None when that can't be had."""
    try:
        return signature_of(os.stat(path))  # noqa: PTH116 (texts in, and cheaper than a Path)
    except (OSError, ValueError):
        return None


def file_identities(directory: str, names: Iterable[str]) -> dict[Identity, str]:
    """Device and inode of each of *names* that is in *directory*, links not followed."""
    found: dict[Identity, str] = {}
    for name in names:
        try:
            status = os.lstat(f"{directory}/{name}")
        except (OSError, ValueError):
            continue
        found[status.st_dev, status.st_ino] = name
    return found


def real_path(path: str) -> str:
    """*path* with every link followed, as far as names exist."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def leads_to_itself(path: str) -> bool:
    """Whether the kernel finds that *path* is a directory's real path; one walk whatever its depth.

    Only Linux tells this way; elsewhere it is false.
    """
    if _NAME_ONLY is None:
        return False
    try:
        fd = os.open(path, _NAME_ONLY)
    except (OSError, ValueError):
        return False
    try:
        return os.readlink(f"/proc/self/fd/{fd}") == path  # noqa: PTH115 (texts in, many times a call)
    except OSError:
        return False
    finally:
        os.close(fd)


def dangling_link(path: str) -> bool:
    """Whether *path* is a link that leads nowhere."""
    try:
        return os.path.islink(path) and not os.path.exists(path)  # noqa: PTH110, PTH114 (texts in)
    except (OSError, ValueError):
        return False


def linked_names(path: str, limit: int) -> tuple[str, ...] | Refused:
    """Names of the links in a directory, sorted; refused when there are more than *limit*."""
    try:
        with os.scandir(path) as entries:
            names = [entry.name for entry in itertools.islice(entries, NAMES) if entry.is_symlink()]
    except (OSError, ValueError) as error:
        outcome = outcome_of(error)
        return () if isinstance(outcome, Absent) else outcome
    return (
        Refused(f"holding more than {limit} links", system=True)
        if len(names) > limit
        else tuple(sorted(names))
    )


def directories_in(path: str, limit: int) -> tuple[DirectoryEntry, ...] | Refused:
    """Directories, and links to directories, in the directory at *path*; at most *limit* names are seen.

    Absence gives none. Entries that vanish meanwhile are left out.
    """
    try:
        with os.scandir(path) as entries:
            return tuple(_directories(entries, limit))
    except (OSError, ValueError) as error:
        outcome = outcome_of(error)
        return () if isinstance(outcome, Absent) else outcome


def _directories(entries: Iterator[os.DirEntry[str]], limit: int) -> Iterator[DirectoryEntry]:
    for entry in itertools.islice(entries, limit):
        try:
            if not entry.is_dir():
                continue
            status = os.stat(entry.path)  # noqa: PTH116 (texts in, and cheaper than a Path)
        except OSError:
            continue
        yield DirectoryEntry(entry.name, signature_of(status), entry.is_symlink())


def _open(name: str, flags: int, dir_fd: int | None) -> KeptDirectory | Absent | Refused:
    try:
        fd = os.open(name, flags, dir_fd=dir_fd)
    except NotADirectoryError:
        # Also what a link gives where none is followed.
        return _NOT_A_DIRECTORY
    except (OSError, ValueError) as error:
        return outcome_of(error)
    note_open(name + "/")
    status = os.fstat(fd)
    return KeptDirectory(fd, (status.st_dev, status.st_ino))
