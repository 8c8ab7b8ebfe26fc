"""What one call's look at the disk showed, kept so that it can be compared with what the disk shows later.

Whoever has worked something out from names alone may use it again while every name it
looked at still shows the same. Anything odd on the way counts as a difference.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from phasegate.core.ports import FileKind, FileStat
from phasegate.files.kept import leads_to_itself

_KINDS: Mapping[FileKind, int] = {"file": stat.S_IFREG, "dir": stat.S_IFDIR, "link": stat.S_IFLNK}
_NOTHING = 0

Kinds = tuple[tuple[str, int], ...]
Signed = tuple[tuple[str, int, int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """Looks at names, absolute paths all.

    `real`: directories that no link leads to. `kinds`: what each name is, the file type
    bits of its mode or 0 for nothing; a regular file has no second name. `links`: texts
    of links. `signed`: directories with device, inode, size and times of change.
    """

    real: tuple[str, ...] = ()
    kinds: Kinds = ()
    links: tuple[tuple[str, str], ...] = ()
    signed: Signed = ()

    def holds(self) -> bool:
        """Whether the disk shows the same now. Never raises."""
        try:
            return self._names_hold() and all(map(leads_to_itself, self.real)) and self._signatures_hold()
        except (OSError, ValueError):
            return False

    def _names_hold(self) -> bool:
        for path, kind in self.kinds:
            try:
                status = os.lstat(path)
            except FileNotFoundError:
                if kind != _NOTHING:
                    return False
                continue
            mode = status.st_mode
            if mode & 0o170000 != kind or (kind == stat.S_IFREG and status.st_nlink != 1):
                return False
        return all(os.readlink(path) == text for path, text in self.links)  # noqa: PTH115 (texts in, texts out)

    def _signatures_hold(self) -> bool:
        for path, *signature in self.signed:
            now = os.lstat(path)
            if [now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns] != signature:
                return False
        return True


def observed(
    stats: Mapping[str, FileStat | None],
    links: Mapping[str, str | None],
    real: Mapping[str, bool],
    signed: Mapping[str, FileStat],
) -> Observed | None:
    """The looks of one call, each path with what it showed; None when they can't be compared cheaply.

    A real directory proves all directories above it, so these are left out. That a
    directory is *not* real led to looks at its single names, which are kept.
    """
    proven = [path for path, is_real in real.items() if is_real]
    deepest = tuple(
        path for path in proven if not any(other.startswith(path.rstrip("/") + "/") for other in proven)
    )
    kinds = []
    for path, status in stats.items():
        if status is None:
            kinds.append((path, _NOTHING))
            continue
        if status.kind not in _KINDS or (status.kind == "file" and status.nlink != 1):
            return None
        if status.kind != "dir" or not any(_is_above(path, other) for other in deepest):
            kinds.append((path, _KINDS[status.kind]))
    texts = [(path, text) for path, text in links.items() if text is not None]
    if len(texts) != len(links):
        return None
    marks = tuple((path, s.dev, s.ino, s.size, s.mtime_ns, s.ctime_ns) for path, s in signed.items())
    return Observed(deepest, tuple(kinds), tuple(texts), marks)


def _is_above(path: str, other: str) -> bool:
    return path == other or other.startswith(path.rstrip("/") + "/")
