"""A disk in memory that answers like `phasegate.core.ports.FileView`."""

from __future__ import annotations

from phasegate.core.ports import FileKind, FileStat
from phasegate.errors import ViewExhausted


class MemoryView:
    """Names on an invented disk.

    `add_file`, `add_dir`, `add_link` create parents. With *fold* names compare without
    regard to letter case. Paths may be POSIX (`/repo/a`) or Windows (`C:/w/a`). Each
    look-up is kept in `looked_up`; *budget* bounds their number.
    """

    def __init__(self, *, fold: bool = False, home: str | None = "/home/dev", budget: int = 10_000) -> None:
        self._fold = fold
        self._home = home
        self._budget = budget
        self._entries: dict[str, tuple[str, FileKind, str, int]] = {}
        self._inodes = 100
        self.looked_up: list[str] = []

    def add_dir(self, path: str) -> None:
        self._add(path, "dir", "")

    def add_file(self, path: str, *, same_as: str | None = None) -> None:
        """Create a file; *same_as* makes it a hard link to another one."""
        inode = self._entries[self._key(same_as)][3] if same_as else None
        self._add(path, "file", "", inode)

    def add_link(self, path: str, target: str) -> None:
        self._add(path, "link", target)

    def lstat(self, path: str) -> FileStat | None:
        entry = self._find(path)
        if entry is None:
            return None
        _, kind, target, inode = entry
        same = sum(1 for other in self._entries.values() if other[3] == inode)
        return FileStat(kind, 1, inode, same, len(target), 1, 1)

    def signature(self, path: str) -> FileStat | None:
        return self.lstat(path)

    def is_real_directory(self, path: str) -> bool:
        """Never told cheaply, so that every component is looked at."""
        del path
        return False

    def readlink(self, path: str) -> str | None:
        entry = self._find(path)
        return entry[2] if entry is not None and entry[1] == "link" else None

    def listdir(self, path: str) -> tuple[str, ...] | None:
        entry = self._find(path)
        if self._key(path) not in ("", "/") and (entry is None or entry[1] != "dir"):
            return None
        above = self._key(path)
        return tuple(
            sorted(
                spelled.rpartition("/")[2]
                for key, (spelled, *_) in self._entries.items()
                if key and key.rpartition("/")[0] == above
            )
        )

    def home(self) -> str | None:
        return self._home

    def _find(self, path: str) -> tuple[str, FileKind, str, int] | None:
        self.looked_up.append(path)
        if len(self.looked_up) > self._budget:
            raise ViewExhausted("too many look-ups")
        return self._entries.get(self._key(path))

    def _key(self, path: str) -> str:
        path = _plain(path)
        return path.casefold() if self._fold else path

    def _add(self, path: str, kind: FileKind, target: str, inode: int | None = None) -> None:
        path = _plain(path)
        parent = path.rpartition("/")[0]
        if parent and self._key(parent) not in self._entries:
            self._add(parent, "dir", "")
        if inode is None:
            self._inodes += 1
            inode = self._inodes
        self._entries[self._key(path)] = (path, kind, target, inode)


def _plain(path: str) -> str:
    """*path* without a slash at its end; on a drive, backslashes separate names too."""
    return (path.replace("\\", "/") if path[1:2] == ":" else path).rstrip("/")
