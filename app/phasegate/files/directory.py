"""An open directory, and what lies below it, without following a single link.

Every name is looked up one component at a time relative to an open descriptor with
`O_NOFOLLOW`. A directory or file that is swapped for a link after it was checked is
therefore refused, never followed. This is the ground on which writers and the loader
of untrusted documents stand; decisions use the cheaper kept directories.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Self

from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.read import Absent, Content, Signature, note_open, read_file, reason_of, signature_of

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ABSENT = frozenset({errno.ENOENT, errno.ENAMETOOLONG, errno.EINVAL})
_NOT_PLAIN = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENXIO})

EntryKind = Literal["file", "dir", "link", "other"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory with the part of its status that callers use."""

    name: str
    kind: EntryKind
    signature: Signature


def components(rel: str) -> tuple[str, ...]:
    """The parts of a relative path; refuses absolute paths, `..` and parts that no file should have."""
    parts = tuple(part for part in rel.split("/") if part not in ("", "."))
    if rel.startswith("/") or ".." in parts or any("\0" in part or "\\" in part for part in parts):
        raise FileRefused("a path leaves its directory or is not a plain relative one")
    return parts


class Directory:
    """A directory held open by its descriptor. Close it, or use it as a context."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    def open_root(cls, path: str) -> Self:
        """Open *path* itself; links in its parents are the caller's business, the last one is refused."""
        name = path.rstrip("/").rsplit("/", 1)[-1]
        with translated(name):
            descriptor = os.open(path, _DIRECTORY)
        note_open(f"{name}/")
        return cls(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def below(self, rel: str) -> Directory:
        """The directory at *rel*; raises `FileNotFoundError`, or `FileRefused` for a link."""
        current = os.dup(self.descriptor)
        try:
            for part in components(rel):
                with translated(part):
                    following = os.open(part, _DIRECTORY, dir_fd=current)
                note_open(f"{part}/")
                os.close(current)
                current = following
        except BaseException:
            os.close(current)
            raise
        return Directory(current)

    def identity(self) -> tuple[int, int]:
        """Device and inode."""
        status = os.fstat(self.descriptor)
        return status.st_dev, status.st_ino

    def read(self, rel: str, limit: int) -> bytes | None:
        """Bytes of the regular file at *rel*, None when there is none.

        Raises `FileRefused` for a link, another kind of file or more than *limit* bytes,
        `FactsUnreadable` when the system refuses.
        """
        *parents, name = components(rel)
        try:
            parent = self.below("/".join(parents))
        except FileNotFoundError:
            return None
        with parent:
            outcome = read_file(name, limit, dir_fd=parent.descriptor)
        if isinstance(outcome, Content):
            return outcome.data
        if isinstance(outcome, Absent):
            return None
        kind = FactsUnreadable if outcome.system else FileRefused
        raise kind(f"`{name}` is {outcome.reason}")

    def status(self, rel: str) -> Entry | None:
        """What is at *rel*, the last link not followed."""
        *parents, name = components(rel)
        try:
            with self.below("/".join(parents)) as parent:
                return _entry(parent.descriptor, name)
        except FileNotFoundError:
            return None

    def names(self, limit: int) -> tuple[str, ...] | None:
        """All names in byte order; None when there are more than *limit*."""
        found: list[str] = []
        with os.scandir(self.descriptor) as listing:
            for item in listing:
                if len(found) >= limit:
                    return None
                found.append(item.name)
        return tuple(sorted(found, key=os.fsencode))

    def signature(self, name: str) -> Signature | None:
        """Signature of the plain name *name*, links not followed; None when it can't be had."""
        try:
            return signature_of(os.stat(name, dir_fd=self.descriptor, follow_symlinks=False))
        except (OSError, ValueError):
            return None

    def entries(self, limit: int) -> tuple[tuple[Entry, ...], bool]:
        """The first *limit* names the system lists, in byte order, and whether there were more."""
        found: list[str] = []
        over = False
        with os.scandir(self.descriptor) as listing:
            for item in listing:
                if len(found) >= limit:
                    over = True
                    break
                found.append(item.name)
        kept = []
        for name in sorted(found, key=os.fsencode):
            try:
                kept.append(_entry(self.descriptor, name))
            except FileNotFoundError:
                continue  # removed since it was listed
        return tuple(kept), over


@contextmanager
def translated(name: str) -> Iterator[None]:
    """System errors as ours: absence stays `FileNotFoundError`, a link or odd file is refused."""
    try:
        yield
    except ValueError as error:
        raise FileNotFoundError(name) from error
    except OSError as error:
        if error.errno in _ABSENT:
            raise FileNotFoundError(name) from error
        if error.errno in _NOT_PLAIN:
            raise FileRefused(f"`{name}` is a link or not the kind of file expected") from error
        raise FactsUnreadable(f"`{name}` is unreadable ({reason_of(error)})") from error


def _entry(descriptor: int, name: str) -> Entry:
    with translated(name):
        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
    return Entry(name, _kind(status.st_mode), signature_of(status))


def _kind(mode: int) -> EntryKind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "dir"
    return "link" if stat.S_ISLNK(mode) else "other"
