"""Shell text with its AST, and where a node of it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from phasegate.targets.shell.limits import TooMuch

Node = Mapping[str, Any]
Span = tuple[int, int]


@dataclass(frozen=True)
class Source:
    """A parsed text.

    `outer` is the span, in the text that the caller gave, of the command that runs this
    text (`bash -c '...'`); None when this is that text itself.
    """

    text: str
    tree: Node
    outer: Span | None = None

    @cached_property
    def _starts(self) -> list[int] | None:
        """Character index of each byte, or None when they are the same."""
        if self.text.isascii():
            return None
        starts: list[int] = []
        for index, char in enumerate(self.text):
            starts.extend([index] * len(char.encode("utf-8", "surrogatepass")))
        starts.append(len(self.text))
        return starts

    def _index(self, offset: int) -> int:
        if self._starts is None:
            return min(offset, len(self.text))
        return self._starts[min(offset, len(self._starts) - 1)]

    def _range(self, node: Node) -> Span:
        start = self._index(node["Pos"].get("Offset", 0))
        return start, max(start, self._index(node["End"].get("Offset", 0)))

    def span(self, node: Node) -> Span:
        """Character range of *node* in the caller's text."""
        return self.outer if self.outer is not None else self._range(node)

    def spelled(self, node: Node) -> str:
        """The source text of *node*."""
        start, end = self._range(node)
        return self.text[start:end]

    def line_after(self, node: Node) -> str | None:
        """The line below the one on which *node* ends, or None when there is none."""
        end = self.text.find("\n", self._range(node)[1])
        if end < 0:
            return None
        stop = self.text.find("\n", end + 1)
        return self.text[end + 1 : stop if stop >= 0 else len(self.text)]


def operator(node: Node) -> str:
    """The operator of *node*.

    Old versions of the parser number their operators, differently in each version;
    such a tree can't be read.
    """
    op = node.get("Op", "")
    if not isinstance(op, str):
        raise TooMuch("the shell parser is too old to be understood")
    return op


def name_of(node: Node | None) -> str:
    """The text of a literal node."""
    return str(node.get("Value", "")) if node else ""
