"""A memory plane on disk."""

from __future__ import annotations

from pathlib import Path

from phasegate.memory.document import Document, parse_document
from phasegate.memory.folders import MemoryPlace, memory_place
from phasegate.memory.reader import MemoryReader
from phasegate.workspace.workflow_file import load_workflow

CANONICAL = """Type: `{type}`
Status: `{status}`
Scope: what it covers
Owns-Paths:
{owns}
Watch-Paths:
Source-Runs:
- {runs}
Validated-At-Commit: abc1234
Last-Validated: 2026-11-30T12:00:00Z
Tags:
- parser

"""


def canonical(
    body: str, *, status: str = "CURRENT", runs: str = "r0", owns: str = "", kind: str = "domain"
) -> str:
    """A document with all nine fields above *body*."""
    return CANONICAL.format(type=kind, status=status, runs=runs, owns=f"- {owns}" if owns else "") + body


def write(root: Path, source: str, text: str, *, base: str = ".recursive/memory") -> Path:
    path = root / base / source
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def place_of(root: Path) -> MemoryPlace:
    return memory_place(str(root.resolve()), load_workflow().layout)


def reader_of(root: Path) -> MemoryReader:
    return MemoryReader(place_of(root))


def document(text: str, source: str = "domains/a.md") -> Document:
    return parse_document(text, source, source.rpartition("/")[0])
