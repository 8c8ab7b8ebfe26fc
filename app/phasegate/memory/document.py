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
    def body_words(self) -> frozenset[str]:
        return words_of(self.body)

    @cached_property
    def paths(self) -> frozenset[str]:
        """Everything in the text that could be a path, without `./` before and punctuation after."""
        found = (word.removeprefix("./").rstrip(".") for word in _PATH.findall(f"{self.title}\n{self.body}"))
        return frozenset(word for word in found if "/" in word or "." in word)

    @cached_property
    def digest(self) -> str:
        """Of title and body: equal digests are equal content."""
        data = f"{self.title}\n{self.body}".encode("utf-8", "surrogatepass")
        return "sha256:" + hashlib.sha256(data).hexdigest()

    @cached_property
    def own_status(self) -> str:
        """The status that the entry's first lines give it alone, or ""."""
        return leading_status(self.body)

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
