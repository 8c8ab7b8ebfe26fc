"""The two things target extraction needs from outside: a view of the disk and a shell parser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

FileKind = Literal["file", "dir", "link", "other"]


class FileStat(NamedTuple):
    """The part of `lstat` that decisions use. Times in nanoseconds, size in bytes.

    A tuple, because a call makes a dozen of them and a frozen class costs four times as much.
    """

    kind: FileKind
    dev: int
    ino: int
    nlink: int
    size: int
    mtime_ns: int
    ctime_ns: int


class FileView(Protocol):
    """A bounded, recording, read-only view of names on disk. It never opens a file.

    Each method raises `phasegate.errors.ViewExhausted` once the view's budget of
    look-ups is spent, and `phasegate.errors.FactsUnreadable` when the system refuses
    for another reason than absence (permission, loop, name too long counts as absence).
    """

    def lstat(self, path: str) -> FileStat | None:
        """Status of *path*, last link not followed; None when there is no such name."""

    def signature(self, path: str) -> FileStat | None:
        """The same, for a caller that goes by the sizes and times in it too."""

    def is_real_directory(self, path: str) -> bool:
        """Whether *path* is a directory that no link leads to: its own real path.

        One look-up whatever its depth; false also where that can't be told so cheaply.
        """

    def readlink(self, path: str) -> str | None:
        """Text of the link at *path*, or None when it is not a link."""

    def listdir(self, path: str) -> tuple[str, ...] | None:
        """Names in the directory, sorted; None when it is not a directory."""

    def home(self) -> str | None:
        """The home directory of the agent's user, absolute, or None when unknown."""


class ShellParser(Protocol):
    """Turns shell text into an AST (the JSON form of mvdan/sh)."""

    def parse(self, text: str) -> Mapping[str, Any] | None:
        """The AST of *text*, or None when it does not parse or a bound was hit."""
