"""What a command leaves behind where it links, copies or moves: later writes may go through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import disk_of, place
from phasegate.targets.shell.text import Field, join, literal

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


def link_text(command: Command, source: Field) -> str | None:
    text = command.text_of(source)
    if text is None:
        return None
    path = place(command.shell.view, command.state, text, follow=False).path
    target = disk_of(command.shell.view, command.state).readlink(path)
    return None if target is None else f"link:{target}"


def remember(command: Command, operand: Field, what: str) -> None:
    text = command.text_of(operand)
    if text:
        command.state.disk[place(command.shell.view, command.state, text, follow=False).path] = what


def pointed_from(source: Field, target: Field) -> Field:
    """What a symbolic link at *target* leads to: a relative text is taken from where the link stands."""
    above, slash, _ = (target.text or "").rstrip("/").rpartition("/")
    if source.prefix.startswith("/") or not slash:
        return source
    return Field(join((literal(f"{above}/"), source.value)), source.typed, source.many)


def remember_link(
    command: Command, source: Field, target: Field, *, symbolic: bool, forced: bool = False
) -> None:
    """Remember the link that is made at *target*; only a *forced* one takes the place of a file."""
    made, pointed = command.text_of(target), command.text_of(source)
    if not made or not pointed:
        return
    path = place(command.shell.view, command.state, made, follow=False).path
    if not forced and path not in command.state.disk and command.kind_of_path(path) is not None:
        return
    if symbolic:
        command.state.disk[path] = f"link:{pointed}"
        return
    original = place(command.shell.view, command.state, pointed).path
    command.state.twins[path] = original
    command.state.twins.setdefault(original, path)
