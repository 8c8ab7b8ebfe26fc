"""Where a path really leads: links followed component by component, as the kernel does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from phasegate.targets.paths import (
    MAX_PATH,
    absolute,
    components,
    is_windows,
    lexical,
    slashed,
)

if TYPE_CHECKING:
    from phasegate.core.ports import FileView

MAX_LINKS = 40
"""Links followed in one path before giving up, as Linux does."""

MAX_NAMES = 512
"""Components walked in one path; deeper ones are kept as spelled."""


class Resolved(NamedTuple):
    """An absolute path with its links followed, and the same path without following any."""

    path: str
    lexical: str


def resolve(view: FileView, base: str, operand: str, *, follow_last: bool = True) -> Resolved:
    """Where *operand* leads for a program that runs in the absolute directory *base*.

    `..` after a link goes to the parent of what the link points to. Missing names are
    kept as spelled. A link in the last place is followed unless *follow_last* is false
    and no slash or `/.` comes after it. A path that can't exist (a NUL, too long, a
    loop of links) comes back as spelled.

    Passes on what *view* raises.
    """
    if not follow_last:
        follow_last = slashed(operand).endswith(("/", "/.", "/..")) or operand in ("", ".", "..")
    windows = is_windows(base)
    spelled = absolute(base, operand)
    root, names = components(spelled, windows=windows)
    if ".." not in names and not windows and _can_exist(spelled):
        plain = root + "/".join(names)
        if names[:1] != ["proc"] and _is_plain(view, plain, names, follow_last=follow_last):
            return Resolved(plain, plain)
    else:
        plain = lexical(spelled, windows=windows)
        if not _can_exist(spelled):
            return Resolved(plain, plain)
    walked = _Walk(view, base, windows=windows).run(spelled, follow_last=follow_last)
    return Resolved(plain if walked is None else walked, plain)


def _is_plain(view: FileView, path: str, names: list[str], *, follow_last: bool) -> bool:
    """Whether no link stands in the way of the ordinary *path* of *names*, which then is its own resolution."""
    if len(names) > MAX_NAMES:
        return False
    above = "/" + "/".join(names[:-1])
    if names and view.is_real_directory(above):
        last = view.lstat(path) if follow_last else None
        return last is None or last.kind != "link"
    here = ""
    for name in names if follow_last else names[:-1]:
        here = f"{here}/{name}"
        status = view.lstat(here)
        if status is None:
            return True
        if status.kind == "link":
            return False
    return True


class _Walk:
    """One resolution: the names found so far and the names still to visit."""

    def __init__(self, view: FileView, base: str, *, windows: bool) -> None:
        self._view = view
        self._base = base
        self._windows = windows
        self._root = "/"
        self._done: list[str] = []
        self._pending: list[str] = []
        self._links = 0
        # Names from this depth on do not exist, so there is nothing to look up below.
        self._missing_from: int | None = None

    def run(self, path: str, *, follow_last: bool) -> str | None:
        """The resolved path, or None for a loop of links."""
        self._restart(path)
        while self._pending:
            name = self._pending.pop()
            if name == "..":
                self._up()
            elif not self._pending and not follow_last:
                self._done.append(name)
            elif not self._down(name):
                return None
        return self._root + "/".join(self._done)

    def _restart(self, path: str) -> None:
        self._root, names = components(path, windows=self._windows)
        self._done = []
        self._missing_from = None
        names.extend(reversed(self._pending))
        names.reverse()
        self._pending = names

    def _up(self) -> None:
        if self._done:
            self._done.pop()
        if self._missing_from is not None and len(self._done) <= self._missing_from:
            self._missing_from = None

    def _down(self, name: str) -> bool:
        """Step into *name*; false when too many links have been followed."""
        self._done.append(name)
        if self._root == "/" and self._done[0] == "proc" and self._process_link(name):
            return True
        if self._missing_from is not None or len(self._done) > MAX_NAMES:
            return True
        here = self._root + "/".join(self._done)
        status = self._view.lstat(here)
        if status is None:
            self._missing_from = len(self._done) - 1
            return True
        return status.kind != "link" or self._follow(here)

    def _follow(self, here: str) -> bool:
        self._links += 1
        target = self._view.readlink(here)
        if not target or self._links > MAX_LINKS or len(target) > MAX_PATH:
            return False
        self._done.pop()
        if self._windows:
            self._restart(absolute(self._root + "/".join(self._done), slashed(target)))
        elif target.startswith("/"):
            self._restart(target)
        else:
            self._pending.extend(reversed([part for part in target.split("/") if part and part != "."]))
        return True

    def _process_link(self, name: str) -> bool:
        """Take links of a process directory for those of the judged program, not of this one."""
        above = self._done[:-1]
        if above == ["proc"]:
            return name in ("self", "thread-self")
        if not above or name not in ("cwd", "root"):
            return False
        self._links += 1
        if self._links <= MAX_LINKS:
            self._restart(self._base if name == "cwd" else "/")
        return True


def _can_exist(path: str) -> bool:
    if "\0" in path or len(path) > MAX_PATH:
        return False
    if path.isascii():
        return True
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def readings(view: FileView, base: str, operand: str, *, follow_last: bool = True) -> tuple[Resolved, ...]:
    """Every place that a tool may take *operand* for.

    Programs hand a path to the kernel, which takes `..` after links; many tools remove
    `..` from the text first. Where the two differ, both count.
    """
    first = resolve(view, base, operand, follow_last=follow_last)
    if ".." not in operand or first.path == first.lexical:
        return (first,)
    second = resolve(view, base, first.lexical, follow_last=follow_last)
    return (first,) if second.path == first.path else (first, second)
