"""`[[ ... ]]`: every word in it is expanded; some outcomes are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from phasegate.targets.shell import arith
from phasegate.targets.shell.patterns import MAX_MATCHED, matches
from phasegate.targets.shell.source import Node, operator
from phasegate.targets.shell.text import plain

if TYPE_CHECKING:
    from phasegate.targets.shell.state import State
    from phasegate.targets.shell.walk import Shell


def tested(shell: Shell, node: Node, state: State) -> bool | None:
    """The outcome of a `[[ ... ]]` expression; every word in it is expanded."""
    with shell.deeper():
        kind = node.get("Type", "Word")
        if kind == "ParenTest":
            return tested(shell, node["X"], state)
        if kind == "UnaryTest":
            return _unary(shell, node, state)
        if kind == "BinaryTest":
            return _binary(shell, node, state)
        text = plain(shell.expander.text(node, state))
        return None if text is None else text != ""


def _unary(shell: Shell, node: Node, state: State) -> bool | None:
    op = operator(node)
    if op == "!":
        inner = tested(shell, node["X"], state)
        return None if inner is None else not inner
    text = plain(shell.expander.text(node["X"], state))
    if text is None or op not in ("-n", "-z"):
        return None
    return (text != "") is (op == "-n")


def _binary(shell: Shell, node: Node, state: State) -> bool | None:
    op = operator(node)
    if op in ("&&", "||"):
        left, right = tested(shell, node["X"], state), tested(shell, node["Y"], state)
        decided = op == "||"
        if decided in (left, right):
            return decided
        return None if None in (left, right) else not decided
    text = plain(shell.expander.text(node["X"], state))
    if op in ("=", "==", "!="):
        pattern = shell.expander.pattern(node["Y"], state)
        if text is None or pattern is None or len(text) > MAX_MATCHED or "nocasematch" in state.options:
            return None
        return matches(pattern, text, shell.context.effort) is (op != "!=")
    other = plain(shell.expander.text(node["Y"], state))
    return compare(op, text, other)


def compare(op: str, text: str | None, other: str | None) -> bool | None:
    """The outcome of a numeric comparison of two known integers."""
    if text is None or other is None or op not in _COMPARISONS:
        return None
    left, right = arith.number(text.strip()), arith.number(other.strip())
    return None if left is None or right is None else _COMPARISONS[op](left, right)


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
