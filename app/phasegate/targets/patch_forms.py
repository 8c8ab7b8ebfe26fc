"""The two forms of patch text: `*** Begin Patch` of agents, and unified diffs.

Both are read line by line. Text inside a hunk is content, whatever it looks like, so a
patch that adds a line `*** Delete File: x` to a document deletes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

MAX_PATCH = 1 << 20
"""Characters of patch text that are read; a longer one is opaque."""

MAX_FILES = 200
"""Files of one patch that are read; a patch with more is opaque."""

BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"


@dataclass(slots=True)
class FilePatch:
    """What a patch does to one file.

    `edits` are (old lines, new lines) of its hunks. `prefixed` marks a name whose first
    directory the program that applies the patch may cut off.
    """

    path: str
    action: Literal["add", "update", "delete"]
    prefixed: bool = False
    moved_to: str | None = None
    added: list[str] = field(default_factory=list)
    edits: list[tuple[list[str], list[str]]] = field(default_factory=list)


@dataclass(slots=True)
class ParsedPatch:
    """The files of a patch, and what was wrong with its text ("" when nothing was)."""

    files: list[FilePatch] = field(default_factory=list)
    defect: str = ""


def is_patch(text: str) -> bool:
    """Whether *text* looks like a patch of either form."""
    return BEGIN in text or _looks_unified(text)


def parse_patch(text: str) -> ParsedPatch:
    """Read a patch of either form."""
    if len(text) > MAX_PATCH:
        return ParsedPatch(defect="it is too long")
    lines = text.replace("\r\n", "\n").split("\n")
    if BEGIN not in text and _looks_unified(text):
        return _Unified(lines).parse()
    return _Envelope().parse(lines)


class _Envelope:
    """Reader of the `*** Begin Patch` form."""

    def __init__(self) -> None:
        self._patch = ParsedPatch()
        self._file: FilePatch | None = None
        self._hunk: tuple[list[str], list[str]] | None = None
        # Text around the envelope (a heredoc's ends, a remark) is nobody's content.
        self._outside = False

    def parse(self, lines: list[str]) -> ParsedPatch:
        self._outside = any(line.strip().startswith(BEGIN) for line in lines)
        for line in lines:
            if len(self._patch.files) > MAX_FILES:
                self._patch.defect = self._patch.defect or "it changes too many files"
                break
            if not (self._is_content(line) or self._is_header(line)) and line.strip():
                self._stray(line)
        if not self._patch.files and not self._patch.defect:
            self._patch.defect = "it names no file"
        return self._patch

    def _is_content(self, line: str) -> bool:
        entry = self._file
        if entry is None or entry.action == "delete":
            return False
        if entry.action == "add":
            if line.startswith("+"):
                entry.added.append(line[1:])
                return True
            # The first line without a plus ends an added file; a header may then be indented.
            if line.strip():
                self._file = None
            return not line.strip()
        return self._is_hunk_line(entry, line)

    def _is_hunk_line(self, entry: FilePatch, line: str) -> bool:
        if line.startswith("***"):
            return line.rstrip() == "*** End of File"
        if line.startswith("@@"):
            self._hunk = None
            return True
        mark = line[:1]
        if mark not in ("", " ", "+", "-"):
            return False
        if self._hunk is None:
            if not line.strip():
                return True
            self._hunk = ([], [])
            entry.edits.append(self._hunk)
        if mark != "+":
            self._hunk[0].append(line[1:])
        if mark != "-":
            self._hunk[1].append(line[1:])
        return True

    def _is_header(self, line: str) -> bool:
        header = line.strip()
        if not header.startswith("*** "):
            return False
        if header.startswith(_MOVE):
            return self._move(header.removeprefix(_MOVE).strip())
        if header.startswith((BEGIN, _END, "*** Environment")):
            self._file = self._hunk = None
            self._outside = header.startswith(_END)
            return True
        for prefix, action in _ACTIONS:
            if header.startswith(prefix):
                return self._start(header.removeprefix(prefix).strip(), action)
        return False

    def _start(self, path: str, action: Literal["add", "update", "delete"]) -> bool:
        self._file, self._hunk = FilePatch(path, action), None
        if path:
            self._patch.files.append(self._file)
        return bool(path)

    def _move(self, path: str) -> bool:
        if self._file is None or not path:
            return False
        self._file.moved_to = path
        return True

    def _stray(self, line: str) -> None:
        if self._outside:
            return
        self._file = self._hunk = None
        if not self._patch.defect:
            self._patch.defect = f"a line is neither a header nor content: `{line.strip()[:60]}`"


_ACTIONS: tuple[tuple[str, Literal["add", "update", "delete"]], ...] = (
    (_ADD, "add"),
    (_UPDATE, "update"),
    (_DELETE, "delete"),
)


def _looks_unified(text: str) -> bool:
    return text.startswith(("diff --git ", "--- ", "Index: ")) or any(
        mark in text for mark in ("\n+++ ", "\ndiff --git ", "\nrename from ")
    )


class _Unified:
    """Reader of unified diffs, with git's extended headers.

    The counts of a hunk's header tell where it ends, so a removed line `-- x` is not
    taken for the header of the next file.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._patch = ParsedPatch()
        self._old = ""
        self._file: FilePatch | None = None

    def parse(self) -> ParsedPatch:
        while self._at < len(self._lines):
            if len(self._patch.files) > MAX_FILES:
                self._patch.defect = self._patch.defect or "it changes too many files"
                break
            line = self._lines[self._at]
            self._at += 1
            if line.startswith("@@"):
                self._hunk(line)
            else:
                self._header(line)
        if not self._patch.files and not self._patch.defect:
            self._patch.defect = "it names no file"
        return self._patch

    def _header(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "diff":
            self._file, self._old = None, ""
            self._git_header(rest)
        elif word == "---":
            self._old = _diff_name(rest)
        elif word == "+++":
            self._pair(self._old, _diff_name(rest))
        elif word in ("rename", "copy", "deleted", "new"):
            self._extended(word, rest)

    def _git_header(self, rest: str) -> None:
        """Only names that need no guess are taken; other headers of the file give the rest."""
        names = rest.removeprefix("--git ").split(" ")
        if len(names) == len(("old", "new")):
            self._file = FilePatch(_stripped(names[1]), "update")
            self._patch.files.append(self._file)

    def _extended(self, word: str, rest: str) -> None:
        kind, _, name = rest.partition(" ")
        if word == "rename" and kind == "from":
            self._take(FilePatch(_unquoted(name), "update"))
        elif word == "rename" and kind == "to" and self._file is not None:
            self._file.moved_to = _unquoted(name)
        elif word == "copy" and kind == "to":
            self._take(FilePatch(_unquoted(name), "add"))
        elif word == "deleted" and self._file is not None:
            self._file.action = "delete"

    def _pair(self, old: str, new: str) -> None:
        """Names of `---` and `+++`. Where they differ, programs pick the one that exists: both count."""
        before, after = _stripped(old), _stripped(new)
        if new == "/dev/null":
            self._take(FilePatch(before, "delete", prefixed=before == old))
        elif self._file is None or self._file.moved_to != after:
            if old not in ("", "/dev/null") and before != after:
                self._take(FilePatch(before, "update", prefixed=before == old))
            action: Literal["add", "update"] = "add" if old == "/dev/null" else "update"
            self._take(FilePatch(after, action, prefixed=after == new))

    def _take(self, entry: FilePatch) -> None:
        if self._file is not None and self._file.path == entry.path:
            self._file.action = entry.action
        else:
            self._file = entry
            self._patch.files.append(entry)

    def _hunk(self, header: str) -> None:
        counts = _counts(header)
        if counts is None:
            self._patch.defect = self._patch.defect or "a hunk has no line counts"
            return
        left, right = counts
        old: list[str] = []
        new: list[str] = []
        while (left > len(old) or right > len(new)) and self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.startswith("\\"):
                continue
            if line[:1] != "+":
                old.append(line[1:])
            if line[:1] != "-":
                new.append(line[1:])
        if self._file is None:
            self._patch.defect = self._patch.defect or "a hunk belongs to no file"
        else:
            self._file.edits.append((old, new))
            self._file.added.extend(new)


def _counts(header: str) -> tuple[int, int] | None:
    """Line counts of `@@ -a,b +c,d @@`."""
    found: list[int] = []
    for word, mark in zip(header.split(" ")[1:3], "-+", strict=False):
        start, comma, count = word[1:].partition(",")
        if not word.startswith(mark) or not start.isdecimal() or (comma and not count.isdecimal()):
            return None
        found.append(min(int(count[:9]), MAX_PATCH) if comma else 1)
    return (found[0], found[1]) if len(found) == len("-+") else None


def _diff_name(text: str) -> str:
    """The file name of a `---` or `+++` line, without the time that may follow a tab."""
    return _unquoted(text.partition("\t")[0].strip())


def _unquoted(name: str) -> str:
    name = name.strip()
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def _stripped(name: str) -> str:
    return name[2:] if name.startswith(("a/", "b/")) else name
