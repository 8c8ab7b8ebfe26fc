"""Which names the sources of a copy, move or link get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.text import EMPTY, Field, join, literal

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.options import Parsed


def pairs(command: Command, parsed: Parsed, *, follow_directory: bool = True) -> list[tuple[Field, Field]]:
    """Sources with the names that they get."""
    directory = parsed.last("t")
    if directory is not None:
        return [(source, inside(directory, source)) for source in parsed.operands]
    if not parsed.operands[1:]:
        for operand in parsed.operands:
            if operand.many:
                command.opaque("the operands are not known", destroys=_lost_directories(command, [operand]))
        return []
    sources, last = parsed.operands[:-1], parsed.operands[-1]
    if last.many:
        command.opaque("the destination is not known")
    if parsed.has("T"):
        ways = {False}
    elif len(sources) > 1 or (sources[0].many and command.text_of(last) is None):
        ways = {True}
    else:
        ways = _ways(command, last, follow=follow_directory)
    return [(source, inside(last, source) if into else last) for into in sorted(ways) for source in sources]


def _ways(command: Command, last: Field, *, follow: bool) -> set[bool]:
    """Whether *last* is a directory; both, where that hangs on whether an earlier removal worked."""
    ways = {is_target_directory(command, last, follow=follow)}
    if command.state.disk:
        before = command.state.copy()
        before.disk = {path: what for path, what in before.disk.items() if what != "gone"}
        ways.add(is_target_directory(replace(command, state=before), last, follow=follow))
    return ways


def is_target_directory(command: Command, last: Field, *, follow: bool) -> bool:
    text = command.text_of(last)
    if text is None:
        return False
    if text.endswith("/"):
        return True
    if not follow:
        status = command.lstat(text)
        return status is not None and status.kind == "dir"
    return command.kind(last) == "dir"


def _lost_directories(command: Command, operands: Sequence[Field]) -> tuple[str, ...]:
    return tuple(path for operand in operands for path in command.known_directory(operand))


def inside(directory: Field, source: Field) -> Field:
    """The name that *source* gets inside *directory*."""
    text = source.text
    if text is None or source.many:
        name: tuple[str | None, ...] = (None,)
    else:
        base = text.rstrip("/").rpartition("/")[2]
        # The children of `DIR/.` come straight into the destination.
        name = EMPTY if base in (".", "..", "") else literal(base)
    if name == EMPTY:
        return directory
    slash = EMPTY if directory.value and (directory.value[-1] or "").endswith("/") else literal("/")
    return Field(join((directory.value, slash, name)), directory.typed, directory.many)
