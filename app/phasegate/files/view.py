"""The disk as target extraction sees it: names looked up, counted, and remembered for one call."""

from __future__ import annotations

import errno
import os
import stat

from phasegate.core.ports import FileKind, FileStat
from phasegate.errors import FactsUnreadable, ViewExhausted
from phasegate.files.kept import leads_to_itself
from phasegate.files.observed import Observed, observed
from phasegate.files.read import reason_of

LOOK_UPS = 4096
"""Look-ups that one call may cost; a long command line needs a few hundred."""

NAMES = 20_000
"""Names of one directory that are listed."""

_NAMES_PER_LOOK_UP = 64

# All of these mean that nothing is, or could be, at the path: a parent is missing or is
# a file, the name is longer than any name, or the links before it go round in a circle.
_ABSENCE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP})


class Looks:
    """Names looked up by several views: what the disk showed each for the first time."""

    def __init__(self, limit: int = LOOK_UPS) -> None:
        self.stats: dict[str, FileStat | None] = {}
        self.real: dict[str, bool] = {}
        self._limit = limit

    def keep_stat(self, path: str, found: FileStat | None) -> None:
        """Let others have *found*. Once there are many, each view is left to itself."""
        if len(self.stats) < self._limit:
            self.stats[path] = found

    def keep_real(self, path: str, found: bool) -> None:
        """The same for whether a path is that of a real directory."""
        if len(self.real) < self._limit:
            self.real[path] = found


class DiskView:
    """Implements `phasegate.core.ports.FileView` over the real disk, for one call.

    Each name is looked up once: a call is judged on one state of the disk, also when
    the disk changes meanwhile. Repeated questions cost nothing of the budget. *looks*
    may be shared by views of one moment; they cost the budget all the same.
    """

    def __init__(
        self, *, home: str | None = None, budget: int = LOOK_UPS, looks: Looks | None = None
    ) -> None:
        self._looks = looks if looks is not None else Looks()
        self._home = home
        self._left = budget
        self._budget = budget
        self._stats: dict[str, FileStat | None] = {}
        self._signed: dict[str, FileStat] = {}
        self._links: dict[str, str | None] = {}
        self._real: dict[str, bool] = {}
        self._lists: dict[str, tuple[str, ...] | None] = {}
        self._refused = False

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The names looked up so far, in order of the first look."""
        return tuple(dict.fromkeys((*self._stats, *self._real, *self._links, *self._lists)))

    @property
    def spent(self) -> int:
        """Look-ups made so far."""
        return self._budget - self._left

    def observed(self) -> Observed | None:
        """What was looked at so far, to compare with later; None when a look was refused or listed a directory."""
        if self._refused or self._lists:
            return None
        return observed(self._stats, self._links, self._real, self._signed)

    def home(self) -> str | None:
        return self._home

    def lstat(self, path: str) -> FileStat | None:
        if path in self._stats:
            return self._stats[path]
        self._spend(1)
        shared = self._looks.stats
        if path in shared:
            found = shared[path]
        else:
            found = self._status(path)
            self._looks.keep_stat(path, found)
        self._stats[path] = found
        return found

    def _status(self, path: str) -> FileStat | None:
        try:
            return _file_stat(os.lstat(path))
        except ValueError:
            return None
        except OSError as error:
            self._raise_unless_absent(error)
            return None

    def signature(self, path: str) -> FileStat | None:
        status = self.lstat(path)
        if status is not None:
            self._signed[path] = status
        return status

    def is_real_directory(self, path: str) -> bool:
        known = self._real.get(path)
        if known is None:
            self._spend(1)
            known = self._looks.real.get(path)
            if known is None:
                known = leads_to_itself(path)
                self._looks.keep_real(path, known)
            self._real[path] = known
        return known

    def readlink(self, path: str) -> str | None:
        if path in self._links:
            return self._links[path]
        self._spend(1)
        try:
            found: str | None = os.readlink(path)  # noqa: PTH115 (texts in, texts out, many times a call)
        except ValueError:
            found = None
        except OSError as error:
            if error.errno != errno.EINVAL:
                self._raise_unless_absent(error)
            found = None
        self._links[path] = found
        return found

    def listdir(self, path: str) -> tuple[str, ...] | None:
        if path in self._lists:
            return self._lists[path]
        self._spend(1)
        try:
            found: tuple[str, ...] | None = self._names(path)
        except ValueError:
            found = None
        except OSError as error:
            self._raise_unless_absent(error)
            found = None
        self._lists[path] = found
        return found

    def _names(self, path: str) -> tuple[str, ...]:
        names: list[str] = []
        with os.scandir(path) as entries:
            for entry in entries:
                names.append(entry.name)
                if len(names) > NAMES:
                    raise ViewExhausted(f"a directory of the call holds more than {NAMES} names")
        self._spend(len(names) // _NAMES_PER_LOOK_UP)
        return tuple(sorted(names))

    def _raise_unless_absent(self, error: OSError) -> None:
        if error.errno not in _ABSENCE:
            self._refused = True
            raise FactsUnreadable(f"a path of the call can't be looked up: {reason_of(error)}") from error

    def _spend(self, look_ups: int) -> None:
        if self._left < look_ups:
            raise ViewExhausted(
                f"the call needs more than {self._budget} look-ups on disk",
                remedy="split it into several calls",
            )
        self._left -= look_ups


def _file_stat(status: os.stat_result) -> FileStat:
    return FileStat(
        _kind(status.st_mode),
        status.st_dev,
        status.st_ino,
        status.st_nlink,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _kind(mode: int) -> FileKind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "dir"
    return "link" if stat.S_ISLNK(mode) else "other"
