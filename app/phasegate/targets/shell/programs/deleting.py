"""Programs that remove files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.text import Field, field

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_RM = Grammar.of(
    "-f|--force -i -I --interactive? --one-file-system --no-preserve-root --preserve-root? -r|-R|--recursive"
    " -d|--dir -v|--verbose --help --version"
)
_RMDIR = Grammar.of("--ignore-fail-on-non-empty -p|--parents -v|--verbose --help --version")
_SHRED = Grammar.of(
    "-f|--force -n|--iterations: --random-source: -s|--size: -u --remove? -v|--verbose -x|--exact -z|--zero --help"
    " --version"
)
_TRASH = Grammar.of(
    "-f|--force -i --interactive -r|-R|--recursive -d --directory -v|--verbose --trash-dir: --help --version"
)


def rm(command: Command) -> None:
    """Remove files; with `-r` whole directories."""
    parsed = command.parse(_RM)
    command.say(None if parsed.has("v", "help", "version") else "")
    if parsed.has("help", "version"):
        return
    tree = parsed.has("r")
    before = dict(command.state.disk)
    for operand in parsed.operands:
        directory = command.is_tree(operand)
        refused = directory and not tree and (not parsed.has("d") or command.has_entries(operand))
        _remove(command, operand, tree=tree and directory, refused=refused)
    if _asks(parsed):
        # The answer may be no, and then the file is still there for what comes after.
        command.state.disk = before


def _remove(command: Command, operand: Field, *, tree: bool = False, refused: bool) -> None:
    """Report a removal; one that will be refused leaves what follows as it is."""
    before = dict(command.state.disk) if refused else None
    command.write(operand, "delete", follow=False, recursive=tree)
    if before is not None:
        command.state.disk = before


def _asks(parsed: Parsed) -> bool:
    """Whether `rm` asks before it removes: the last of `-f` and `-i` counts."""
    asks = False
    for name, value in parsed.options:
        if name in ("i", "I", "interactive"):
            asks = value is None or value.text not in ("never", "no", "none")
        elif name == "f":
            asks = False
    return asks


def rmdir(command: Command) -> None:
    """Remove empty directories."""
    parsed = command.parse(_RMDIR)
    command.say(None if parsed.has("v", "help", "version") else "")
    if parsed.has("help", "version"):
        return
    for operand in parsed.operands:
        _remove(command, operand, refused=command.has_entries(operand))
        above = (operand.text or "").rstrip("/").rpartition("/")[0]
        while parsed.has("p") and above:
            command.write(field(above, operand.typed), "delete", follow=False)
            above = above.rpartition("/")[0]


def gio(command: Command) -> None:
    """`gio trash` and `gio remove` delete; other verbs are not known."""
    verb = command.args[0].text if command.args else "help"
    if verb in ("trash", "remove"):
        command.args = command.args[1:]
        trash(command)
    elif verb not in ("help", "info", "list", "cat", "tree", "mime", "version"):
        command.opaque("what `gio` does here is not known")


def unlink(command: Command) -> None:
    """Remove one file."""
    command.say("")
    command.write_all(
        [arg for arg in command.args if not arg.prefix.startswith("--")], "delete", follow=False
    )


def shred(command: Command) -> None:
    """Overwrite files, and remove them with `-u`."""
    parsed = command.parse(_SHRED)
    command.say("")
    if parsed.has("help", "version"):
        return
    command.write_all(parsed.operands, "delete" if parsed.has("u", "remove") else "write")


def trash(command: Command) -> None:
    """`trash`, `trash-put`, `rimraf`, `del-cli`: remove files and directories alike."""
    parsed = command.parse(_TRASH)
    if parsed.has("help", "version"):
        return
    for operand in parsed.operands:
        if operand.text is not None and any(char in operand.text for char in "*?["):
            command.opaque(
                "the program matches the pattern itself", destroys=command.known_directory(operand)
            )
            continue
        command.write(operand, "delete", follow=False, recursive=command.is_tree(operand))
