"""Pathname expansion against the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import disk_of, place
from phasegate.targets.shell.patterns import is_pattern, matches, unescape

if TYPE_CHECKING:
    from phasegate.targets.shell.state import State
    from phasegate.targets.shell.walk import Shell


@dataclass(frozen=True, slots=True)
class Matched:
    """Names that match a pattern, sorted, and whether it may be that none does."""

    names: list[str]
    may_be_empty: bool


def expand_glob(shell: Shell, state: State, pattern: str) -> Matched:
    """The names that match *pattern*.

    What the command itself made or removed so far may have failed, so names count with
    and without that.

    Raises `TooMuch` when too many names have to be looked at.
    """
    now = set(_Glob(shell, state).run(pattern))
    if not state.disk:
        return Matched(sorted(now), not now)
    before = state.copy()
    before.disk.clear()
    at_first = set(_Glob(shell, before).run(pattern))
    return Matched(sorted(now | at_first), not now or not at_first)


class _Glob:
    """One expansion: its settings and what it may still look at."""

    def __init__(self, shell: Shell, state: State) -> None:
        self._shell = shell
        self._view = shell.view
        self._state = state
        self._disk = disk_of(shell.view, state)
        self._options = state.options

    def run(self, pattern: str) -> list[str]:
        found = ["/"] if pattern.startswith("/") else [""]
        parts = pattern.split("/")
        for index, part in enumerate(parts):
            if part == "" and index < len(parts) - 1:
                continue
            found = self._step(found, part, last=index == len(parts) - 1)
        return found

    def _step(self, bases: list[str], part: str, *, last: bool) -> list[str]:
        result: list[str] = []
        for base in bases:
            if part == "":
                result.append(base)
            elif part == "**" and "globstar" in self._options:
                result.extend(self._below(base, last=last))
            elif is_pattern(part):
                result.extend(self._matching(base, part, last=last))
            else:
                result.extend(self._exact(base, unescape(part), last=last))
        return result

    def _list(self, base: str) -> tuple[str, ...]:
        names = self._disk.listdir(place(self._view, self._state, base or ".").path) or ()
        self._shell.look_at(len(names) + 1)
        return names

    def _matching(self, base: str, part: str, *, last: bool) -> list[str]:
        hidden_too = part.startswith((".", "\\.")) or "dotglob" in self._options
        fold = "nocaseglob" in self._options
        wanted = part.casefold() if fold else part
        result = []
        for name in self._list(base):
            if name.startswith(".") and not hidden_too:
                continue
            if matches(wanted, name.casefold() if fold else name, self._shell.context.effort):
                result.extend(self._accept(base + name, last=last))
        return result

    def _exact(self, base: str, name: str, *, last: bool) -> list[str]:
        if name in (".", ".."):
            return [base + name + ("" if last else "/")]
        if self._disk.lstat(place(self._view, self._state, base + name, follow=False).path) is None:
            return []
        return self._accept(base + name, last=last)

    def _accept(self, path: str, *, last: bool) -> list[str]:
        if last:
            return [path]
        status = self._disk.lstat(place(self._view, self._state, path).path)
        return [path + "/"] if status is not None and status.kind == "dir" else []

    def _below(self, base: str, *, last: bool) -> list[str]:
        """Directories at any depth below *base*, itself first; in the last place files too."""
        result = [base] if not last or base else []
        pending = [base]
        while pending:
            here = pending.pop()
            for name in self._list(here):
                if name.startswith(".") and "dotglob" not in self._options:
                    continue
                status = self._disk.lstat(place(self._view, self._state, here + name, follow=False).path)
                directory = status is not None and status.kind == "dir"
                if directory:
                    pending.append(f"{here}{name}/")
                if last or directory:
                    result.append(here + name + ("" if last else "/"))
        return result
