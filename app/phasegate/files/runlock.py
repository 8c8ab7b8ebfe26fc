"""One lock per run, shared by every process that changes it.

The lock is an advisory `flock` on the run directory itself: there is no lock file to
litter the run, to touch its modification time or to outlive a killed process, and the
kernel releases it with the last descriptor. Two descriptors exclude each other within
one process too, so threads are serialised as well.

It orders phasegate's own writers. It does not stop other programs: on file systems
without `flock` for directories (some network ones) taking it fails, visibly.
"""

from __future__ import annotations

import errno
import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager

from phasegate.errors import FactsUnreadable, RunBusy
from phasegate.files.directory import Directory

DEFAULT_TIMEOUT = 10.0
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.05


@contextmanager
def locked(root: Directory, rel: str, *, timeout: float = DEFAULT_TIMEOUT) -> Iterator[Directory]:
    """Hold the lock of the directory at *rel* and yield it, open.

    Raises `FileNotFoundError` when there is no such directory, `FileRefused` when it is a
    link, `RunBusy` after *timeout* seconds. A directory that was exchanged while we
    waited is not the one others lock: it is opened afresh.
    """
    deadline = time.monotonic() + timeout
    while True:
        directory = root.below(rel)
        try:
            _take(directory, deadline, rel)
            if _is_current(root, rel, directory):
                yield directory
                return
        finally:
            directory.close()


def _take(directory: Directory, deadline: float, rel: str) -> None:
    pause = _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(directory.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                raise FactsUnreadable(f"can't take the run lock ({error.strerror})") from error
        else:
            return
        if time.monotonic() >= deadline:
            raise RunBusy(
                f"another process is changing `{rel.rsplit('/', 1)[-1]}`",
                remedy="try again in a moment",
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _is_current(root: Directory, rel: str, directory: Directory) -> bool:
    with root.below(rel) as again:
        return again.identity() == directory.identity()
