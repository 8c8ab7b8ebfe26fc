"""The README as data: its fenced blocks, each with the note that says how a test treats it.

A note is an HTML comment just above a block, invisible to readers:

    <!-- example: serve -->      started, left running, probed
    <!-- example: exit 3 -->     run, has to end with that exit code
    <!-- example: host -->       run in the clone; stand-ins take the place of programs that need root or an engine
    <!-- example: reply -->      JSON with the keys of the block run before
    <!-- example: setup -->      one of the two commands for a fresh clone
    <!-- example: policy -->     checked by `phasegate policy check`
    <!-- example: shown -->      not a command: output or a fragment, read by people

Without one, a `sh` or `python` block is run and has to exit 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from support.source_tree import ROOT

README = ROOT / "README.md"
_BLOCK = re.compile(
    r"(?:<!-- example: (?P<note>[^>]+?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block. `line` is where it starts."""

    line: int
    language: str
    note: str
    text: str

    @property
    def name(self) -> str:
        return f"line-{self.line}-{self.language or 'plain'}"


def readme_text() -> str:
    return README.read_text("utf-8")


def blocks(text: str | None = None) -> list[Block]:
    """Every fenced block, in order."""
    whole = readme_text() if text is None else text
    return [
        Block(whole.count("\n", 0, found.start()) + 1, found["language"], found["note"] or "", found["text"])
        for found in _BLOCK.finditer(whole)
    ]


def section(title: str) -> str:
    """The text below one heading, up to the next of the same or a higher level."""
    found = re.search(
        rf"^(#+) {re.escape(title)}$\n(.*?)(?=^#{{1,6}} |\Z)", readme_text(), re.MULTILINE | re.DOTALL
    )
    assert found, f"the README has no section `{title}`"
    return found[2]


def first_column(table_section: str) -> list[str]:
    """The first cells of the rows of the first table in a section, backticks removed."""
    rows = [line for line in table_section.splitlines() if line.startswith("|")]
    return [row.split("|")[1].strip().strip("`") for row in rows[2:]]
