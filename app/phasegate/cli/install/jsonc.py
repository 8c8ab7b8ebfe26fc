"""Editing JSON text in place: comments, order, spacing and trailing commas stay as they are.

Configuration files belong to people. Parsing and printing one again would drop the
comments that several runtimes allow there; so a change is a splice of the text. All
functions are pure; each edit returns the new text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

MAX_DEPTH = 100
_SPACE = " \t\r\n\ufeff"


class NotJson(ValueError):
    """The text is not JSON with comments; the message says where."""


@dataclass(slots=True)
class Node:
    """A value with the range of its text. Objects have `members`, arrays `items`."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int = 0
    value: Any = None
    members: dict[str, Member] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)

    def plain(self) -> Any:
        """The value without its text."""
        if self.kind == "object":
            return {key: member.node.plain() for key, member in self.members.items()}
        if self.kind == "array":
            return [item.plain() for item in self.items]
        return self.value


@dataclass(slots=True)
class Member:
    """One key of an object; `start` is where the key's text begins."""

    start: int
    node: Node


def parse(text: str) -> Node:
    """The tree of *text*. Raises `NotJson`."""
    reader = _Reader(text)
    node = reader.value(0)
    reader.space()
    if reader.at < len(text):
        raise reader.wrong("text after the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._decoder = json.JSONDecoder()

    def wrong(self, what: str) -> NotJson:
        line = self.text.count("\n", 0, self.at) + 1
        return NotJson(f"line {line}: {what}")

    def space(self) -> None:
        """Skip white space and comments."""
        while self.at < len(self.text):
            if self.text[self.at] in _SPACE:
                self.at += 1
            elif self.text.startswith("//", self.at):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text.startswith("/*", self.at):
                end = self.text.find("*/", self.at + 2)
                if end < 0:
                    raise self.wrong("a comment without end")
                self.at = end + 2
            else:
                return

    def value(self, depth: int) -> Node:
        self.space()
        if depth > MAX_DEPTH:
            raise self.wrong("nested too deep")
        opening = self.text[self.at : self.at + 1]
        if opening == "{":
            return self._object(depth)
        if opening == "[":
            return self._array(depth)
        return self._scalar()

    def _scalar(self) -> Node:
        try:
            value, end = self._decoder.raw_decode(self.text, self.at)
        except ValueError as error:
            raise self.wrong("no value") from error
        node = Node("scalar", self.at, end, value)
        self.at = end
        return node

    def _object(self, depth: int) -> Node:
        node = Node("object", self.at)

        def member() -> None:
            start = self.at
            key = self._scalar().value
            self.space()
            if not isinstance(key, str) or self.text[self.at : self.at + 1] != ":":
                raise self.wrong("no `key: value`")
            self.at += 1
            node.members[key] = Member(start, self.value(depth + 1))

        return self._list(node, "}", member)

    def _array(self, depth: int) -> Node:
        node = Node("array", self.at)
        return self._list(node, "]", lambda: node.items.append(self.value(depth + 1)))

    def _list(self, node: Node, closing: str, element: Callable[[], None]) -> Node:
        """Elements between brackets, a trailing comma allowed."""
        self.at += 1
        while True:
            self.space()
            if self.text.startswith(closing, self.at):
                self.at += 1
                node.end = self.at
                return node
            element()
            self.space()
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith(closing, self.at):
                raise self.wrong(f"neither `,` nor `{closing}`")


def children(node: Node) -> list[tuple[int, int]]:
    """The text ranges of the elements, in order."""
    if node.kind == "object":
        return [(member.start, member.node.end) for member in node.members.values()]
    return [(item.start, item.end) for item in node.items]


def insert(text: str, node: Node, value: Any, key: str | None = None) -> str:
    """Add *value* as the last element of *node*, under *key* in an object."""
    indent, step = _indentation(text, node)
    written = _written(value, indent + step, step)
    element = f"{json.dumps(key)}: {written}" if key is not None else written
    spans = children(node)
    if not spans:
        inner = text[node.start + 1 : node.end - 1].rstrip()
        new = f"{inner}\n{indent + step}{element}\n{indent}"
        return text[: node.start + 1] + new + text[node.end - 1 :]
    last = spans[-1][1]
    tail = text[last : node.end - 1]
    if "\n" not in text[node.start : node.end]:
        comma = "" if _has_comma(tail) else ","
        return (
            text[:last] + f"{comma} {element}" + text[last:]
            if comma
            else (text[: node.end - 1].rstrip() + f" {element}" + text[node.end - 1 :])
        )
    if _has_comma(tail):
        at = node.end - 1 - (len(tail) - len(tail.rstrip()))
        return text[:at] + f"\n{indent + step}{element}," + text[at:]
    # A comment behind the last element stays with it.
    at = last + len(tail.rstrip())
    return text[:last] + "," + text[last:at] + f"\n{indent + step}{element}" + text[at:]


def replace(text: str, node: Node, value: Any) -> str:
    """Put *value* where *node* is."""
    indent = _line_indent(text, node.start)
    return text[: node.start] + _written(value, indent, _step(text)) + text[node.end :]


def remove(text: str, node: Node, index: int) -> str:
    """Take the element number *index* out of *node*, with one comma."""
    spans = children(node)
    start, end = spans[index]
    if index + 1 < len(spans):
        following = text[end + _comma(text[end : spans[index + 1][0]]) + 1 :]
        return text[:start] + following[len(following) - len(following.lstrip()) :]
    tail = text[end : node.end - 1]
    tail = _without_comma(tail)
    if not index:
        return text[: node.start + 1] + (tail if tail.strip() else "") + text[node.end - 1 :]
    before = spans[index - 1][1]
    # The comma goes, a comment behind the element before it stays.
    between = _without_comma(text[before:start]).rstrip()
    return text[:before] + between + tail + text[node.end - 1 :]


def _comma(text: str) -> int:
    """Where a comma stands outside of the comments in *text*; -1 for nowhere."""
    reader = _Reader(text)
    while reader.at < len(text):
        reader.space()
        if text[reader.at : reader.at + 1] == ",":
            return reader.at
        reader.at += 1
    return -1


def _has_comma(text: str) -> bool:
    return _comma(text) >= 0


def _without_comma(text: str) -> str:
    at = _comma(text)
    return text if at < 0 else text[:at] + text[at + 1 :]


def _indentation(text: str, node: Node) -> tuple[str, str]:
    """The indent of the line where *node* begins, and one step."""
    return _line_indent(text, node.start), _step(text)


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    """The indentation of the file's first indented line; two spaces in a file that has none."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank and line.strip():
            return blank
    return "  "


def _written(value: Any, indent: str, step: str) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=step)
    return text.replace("\n", "\n" + indent)
