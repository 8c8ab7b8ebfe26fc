"""Filters that pass a known list of lines on: `head`, `tail`, `sort` and `uniq`.

The order of a search is not known, so a cut is followed only where nothing is cut off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs import filters, readers
from phasegate.targets.shell.text import number_of

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_HEAD = Grammar.of("-n|--lines: -q|--quiet|--silent -v|--verbose -c|--bytes: -z -f -F", numeric=True)
_ORDER_ONLY = frozenset({"u", "r", "n", "V", "h", "f", "number", "s"})
_DEFAULT_LINES = 10


def head(command: Command) -> None:
    """`head` and `tail` of standard input: the whole of it when it is short enough."""
    readers.read(command)
    parsed = command.parse(_HEAD)
    text = _input(command)
    wanted = number_of(parsed.last("n", "number"), 0 if parsed.has("n", "number") else _DEFAULT_LINES)
    plain = all(name in ("n", "number", "q") for name, _ in parsed.options) and not parsed.strange
    if text is None or parsed.operands or not plain or text.count("\n") > wanted:
        command.say(None)
    else:
        command.say(text)


def sort(command: Command) -> None:
    """`sort` of standard input; by which order doesn't matter to those who take the lines as names."""
    readers.tool(command)
    parsed = command.parse(readers.TOOLS["sort"].grammar)
    text = _input(command)
    if text is None or parsed.operands or {name for name, _ in parsed.options} - _ORDER_ONLY:
        command.say(None)
        return
    lines = text.splitlines()
    command.say("".join(f"{line}\n" for line in sorted(set(lines) if parsed.has("u") else lines)))


def uniq(command: Command) -> None:
    """`uniq` of standard input."""
    filters.uniq(command)
    text = _input(command)
    if text is None or command.args:
        command.say(None)
    else:
        lines = text.splitlines()
        kept = [line for at, line in enumerate(lines) if at == 0 or line != lines[at - 1]]
        command.say("".join(f"{line}\n" for line in kept))


def _input(command: Command) -> str | None:
    """The text on standard input, which is then used up."""
    text = command.state.stdin
    command.state.stdin = "" if text is not None else None
    return text
