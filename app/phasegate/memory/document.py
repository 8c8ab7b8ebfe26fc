"""One memory document as a value: its metadata, and the titled sections that can be shown."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

from phasegate.memory.fields import Metadata, leading_status, named_value, read_metadata
from phasegate.memory.words import words_of

_PATH = re.compile(r"[\w@+./-]+")
_MAX_HEADING = 6
_FENCES = ("```", "~~~")
_FENCE_INDENT = 3
# No status at all counts as showable: notes without metadata must not be lost.
SHOWABLE = ("", "CURRENT", "SUSPECT")


@dataclass(frozen=True)
class Entry:
    """One section. `source` is the document's path below the plane, `kind` its folder."""

    source: str
    kind: str
    title: str
    body: str
    position: int

    @cached_property
    def title_words(self) -> frozenset[str]:
        return words_of(self.title)

    @cached_property
    def words(self) -> frozenset[str]:
        """Of title and body together."""
        return words_of(f"{self.title}\n{self.body}")

    @cached_property
    def paths(self) -> frozenset[str]:
        """Everything in the text that could be a path, without `./` before and punctuation after."""
        chunks = (chunk for chunk in f"{self.title} {self.body}".split() if "/" in chunk or "." in chunk)
        words = _PATH.findall(" ".join(chunks))
        return frozenset(word.removeprefix("./").rstrip(".") for word in words)

    @cached_property
    def digest(self) -> str:
        """Of title and body: equal digests are equal content."""
        data = f"{self.title}\n{self.body}".encode("utf-8", "surrogatepass")
        return "sha256:" + hashlib.sha256(data).hexdigest()

    @cached_property
    def retired(self) -> str:
        """Why the entry alone must not be shown, or "": its own first lines may say so."""
        status = leading_status(self.body)
        return f"status {status}" if status not in SHOWABLE else ""

    @cached_property
    def applies_to(self) -> tuple[str, ...]:
        """Phases that a line `Applies to: ...` names, as written."""
        for line in self.body.split("\n"):
            named = named_value(line)
            if named is not None and named[0] in ("applies to", "applies-to"):
                return tuple(part for raw in named[1].split(",") if (part := raw.strip("*_` \t")))
        return ()


@dataclass(frozen=True)
class Document:
    """A parsed document."""

    source: str
    kind: str
    metadata: Metadata
    entries: tuple[Entry, ...]

    @cached_property
    def retired(self) -> str:
        """Why nothing of the document must be shown, or ""."""
        status = self.metadata.status
        if status not in SHOWABLE:
            return f"status {status[:40]}"
        successor = self.metadata.value("superseded-by")
        if successor:
            return f"superseded by {successor[:80]}"
        return "an index" if self.metadata.value("type").casefold() == "index" else ""


def parse_document(text: str, source: str, kind: str) -> Document:
    """Cut a document into entries.

    Headings begin at the first column, outside code fences. Text before the first one is
    an entry titled by its source. The metadata block belongs to no entry.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    metadata, taken = read_metadata(lines)
    sections: list[tuple[str, list[str]]] = [(source, [])]
    fence = ""
    for number, line in enumerate(lines):
        if number in taken:
            continue
        fence, inside = _fence_after(line, fence)
        title = None if inside else _heading(line)
        if title is None:
            sections[-1][1].append(line)
        else:
            sections.append((title, []))
    entries = tuple(
        Entry(source, kind, title, body, position)
        for position, (title, found) in enumerate(sections)
        if (body := "\n".join(found).strip()) or position
    )
    return Document(source, kind, metadata, _without_rules(entries))


def _without_rules(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """A preamble that is nothing but the rules around a metadata block says nothing."""
    return tuple(entry for entry in entries if entry.position or entry.body.strip("- \n"))


def _heading(line: str) -> str | None:
    marks = len(line) - len(line.lstrip("#"))
    rest = line[marks:]
    if not 1 <= marks <= _MAX_HEADING or rest[:1] not in (" ", "\t") or not rest.strip():
        return None
    return rest.strip()


def _fence_after(line: str, fence: str) -> tuple[str, bool]:
    """The open fence after *line* ("" for none), and whether the line is part of a fenced block."""
    bare = line.lstrip(" ")
    if len(line) - len(bare) > _FENCE_INDENT or not bare.startswith(_FENCES):
        return fence, bool(fence)
    marks = bare[: len(bare) - len(bare.lstrip(bare[0]))]
    if not fence:
        return marks, True
    closes = marks[0] == fence[0] and len(marks) >= len(fence) and not bare[len(marks) :].strip()
    return ("" if closes else fence), True
