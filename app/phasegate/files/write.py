"""Atomic changes below an open directory.

A file is written under a temporary name beside its place, synced, renamed over it, and
the directory synced: after a crash its name holds the old bytes or the new ones. A
temporary that a killed process left behind is removed by `sweep`, under the same lock.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory, components
from phasegate.files.steps import step

TEMPORARY_SUFFIX = ".phasegate-tmp"
DEFAULT_MODE = 0o644
PRIVATE_MODE = 0o600
DIRECTORY_MODE = 0o755
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SWEEP_LIMIT = 10_000


def replace(directory: Directory, rel: str, data: bytes, *, limit: int, mode: int = DEFAULT_MODE) -> None:
    """Make the file at *rel* hold exactly *data*, durably when this returns.

    An existing file keeps its permission bits. The parent must exist, and keeps its own
    times: which run is the newest is read from them, and our bookkeeping must not change
    that. Raises `FileRefused` when something else than a regular file is there or *data*
    is over *limit*, `FactsUnreadable` when the disk refuses.
    """
    if len(data) > limit:
        raise FileRefused(f"`{rel}` would be over {limit} bytes")
    with _parent(directory, rel) as (parent, name), _disk(name), _times_kept(parent):
        present = _status(parent, name)
        if present is not None:
            if not stat.S_ISREG(present.st_mode):
                raise FileRefused(f"`{name}` is not a regular file")
            mode = stat.S_IMODE(present.st_mode)
        temporary = _write_temporary(parent, name, data, mode)
        try:
            with step("rename"):
                os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            _discard(parent, temporary)
            raise
        _sync_directory(parent)


def create(directory: Directory, rel: str, data: bytes, *, mode: int = DEFAULT_MODE) -> bool:
    """Write a file that must not exist yet; False (and nothing changed) when any name is there.

    The parent's times are kept.
    """
    with _parent(directory, rel) as (parent, name), _disk(name), _times_kept(parent):
        if _status(parent, name) is not None:
            return False
        temporary = _write_temporary(parent, name, data, mode)
        try:
            with step("link"):
                os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
        except FileExistsError:
            return False
        finally:
            with step("unlink"):
                os.unlink(temporary, dir_fd=parent)
        _sync_directory(parent)
    return True


def remove(directory: Directory, rel: str) -> bool:
    """Delete the file at *rel*, keeping its parent's times; False when there was none.

    A link is deleted as a link.
    """
    try:
        with _parent(directory, rel) as (parent, name), _disk(name), _times_kept(parent):
            with step("unlink"):
                os.unlink(name, dir_fd=parent)
            _sync_directory(parent)
    except FileNotFoundError:
        return False
    return True


def move_aside(directory: Directory, rel: str) -> str:
    """Rename whatever is at *rel*, a link as a link, to a free name beside it; returns the new name."""
    with _parent(directory, rel) as (parent, name), _disk(name), _times_kept(parent):
        aside = f"{name}.corrupt-{secrets.token_hex(6)}"
        with step("rename"):
            os.rename(name, aside, src_dir_fd=parent, dst_dir_fd=parent)
        _sync_directory(parent)
    return aside


def make_directories(directory: Directory, rel: str, *, mode: int = DIRECTORY_MODE) -> bool:
    """Make *rel* and its parents below *directory*; False when all were there already."""
    made = False
    current = directory.below("")
    try:
        for part in components(rel):
            with _disk(part), _times_kept(current.descriptor):
                made = _make_one(current.descriptor, part, mode) or made
            following = current.below(part)
            current.close()
            current = following
    finally:
        current.close()
    return made


def sweep(directory: Directory, rel: str = "") -> int:
    """Remove temporaries that a killed writer left in *rel*. Hold the lock of its writers."""
    removed = 0
    try:
        place = directory.below(rel)
    except FileNotFoundError:
        return 0
    with place:
        for entry in place.entries(_SWEEP_LIMIT)[0]:
            if entry.name.endswith(TEMPORARY_SUFFIX) and entry.kind == "file":
                removed += remove(place, entry.name)
    return removed


def _make_one(parent: int, name: str, mode: int) -> bool:
    try:
        with step("mkdir"):
            os.mkdir(name, mode, dir_fd=parent)
    except FileExistsError:
        return False
    _sync_directory(parent)
    return True


def _write_temporary(parent: int, name: str, data: bytes, mode: int) -> str:
    temporary = f".{name}.{secrets.token_hex(4)}{TEMPORARY_SUFFIX}"
    with step("open"):
        handle = os.open(temporary, _CREATE, PRIVATE_MODE, dir_fd=parent)
    try:
        try:
            with step("write"):
                _write_all(handle, data)
            # The bits are set on the descriptor: the process's umask must not narrow a kept mode.
            os.fchmod(handle, mode)
            with step("fsync"):
                os.fsync(handle)
        finally:
            os.close(handle)
    except BaseException:
        _discard(parent, temporary)
        raise
    return temporary


def _discard(parent: int, temporary: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=parent)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _status(parent: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _sync_directory(parent: int) -> None:
    with step("fsync directory"):
        os.fsync(parent)


@contextmanager
def _parent(directory: Directory, rel: str) -> Iterator[tuple[int, str]]:
    *parents, name = components(rel)
    with directory.below("/".join(parents)) as parent:
        yield parent.descriptor, name


@contextmanager
def _times_kept(parent: int) -> Iterator[None]:
    before = os.fstat(parent)
    try:
        yield
    finally:
        os.utime(parent, ns=(before.st_atime_ns, before.st_mtime_ns))


@contextmanager
def _disk(name: str) -> Iterator[None]:
    """System errors of a change as ours; absence stays what it is."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.ELOOP, errno.ENOTDIR):
            raise FileRefused(f"`{name}` is a directory or a link") from error
        raise FactsUnreadable(f"`{name}` can't be changed ({error.strerror})") from error
