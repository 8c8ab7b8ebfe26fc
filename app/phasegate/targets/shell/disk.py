"""The disk as the command would find it: what is there, changed by what it did so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from phasegate.core.ports import FileStat
from phasegate.targets.resolve import Resolved, resolve

if TYPE_CHECKING:
    from phasegate.core.ports import FileKind, FileView
    from phasegate.targets.shell.state import State

_LINK = "link:"
_KINDS: Mapping[str, FileKind] = {"file": "file", "dir": "dir"}


class ChangedDisk:
    """A `FileView` over another one, with the changes that a state remembers."""

    def __init__(self, view: FileView, changes: Mapping[str, str]) -> None:
        self._view = view
        self._changes = changes

    def lstat(self, path: str) -> FileStat | None:
        change = self._changes.get(path)
        if change is None:
            return None if self._gone(path) else self._view.lstat(path)
        if change == "gone":
            return None
        kind: FileKind = "link" if change.startswith(_LINK) else _KINDS[change]
        return FileStat(kind=kind, dev=0, ino=0, nlink=1, size=0, mtime_ns=0, ctime_ns=0)

    def signature(self, path: str) -> FileStat | None:
        return self.lstat(path)

    def is_real_directory(self, path: str) -> bool:
        touched = any(path == changed or path.startswith(changed + "/") for changed in self._changes)
        return not touched and self._view.is_real_directory(path)

    def readlink(self, path: str) -> str | None:
        change = self._changes.get(path)
        if change is None:
            return None if self._gone(path) else self._view.readlink(path)
        return change.removeprefix(_LINK) if change.startswith(_LINK) else None

    def listdir(self, path: str) -> tuple[str, ...] | None:
        change = self._changes.get(path)
        if change == "gone" or (change is None and self._gone(path)):
            return None
        listed = self._view.listdir(path) if change is None else ()
        if listed is None and change != "dir":
            return None
        names = set(listed or ())
        base = path.rstrip("/") + "/"
        for changed, what in self._changes.items():
            if changed.startswith(base) and "/" not in (name := changed[len(base) :]):
                (names.discard if what == "gone" else names.add)(name)
        return tuple(sorted(names))

    def home(self) -> str | None:
        return self._view.home()

    def _gone(self, path: str) -> bool:
        """Whether a directory above *path* was removed by the command."""
        return any(
            what == "gone" and path.startswith(removed + "/") for removed, what in self._changes.items()
        )


def disk_of(view: FileView, state: State) -> FileView:
    """The disk as *state* finds it."""
    return ChangedDisk(view, state.disk) if state.disk else view


def place(view: FileView, state: State, operand: str, *, follow: bool = True) -> Resolved:
    """Where *operand* leads for a program started in *state*."""
    return resolve(disk_of(view, state), state.cwd, operand, follow_last=follow)


def known_text(view: FileView, state: State, operand: str | None) -> str | None:
    """The text of the file *operand*, where the command itself wrote it."""
    if not operand or not state.files:
        return None
    if operand in state.files:
        return state.files[operand]
    return state.files.get(place(view, state, operand).path)


def kind_at(view: FileView, state: State, operand: str) -> str | None:
    """`file`, `dir` or `other` behind *operand*, links followed; None when nothing is there."""
    disk = disk_of(view, state)
    status = disk.lstat(place(view, state, operand).path)
    return None if status is None else status.kind


def is_directory(view: FileView, state: State, operand: str) -> bool:
    """Whether *operand* names a directory, links followed."""
    return kind_at(view, state, operand) == "dir"
