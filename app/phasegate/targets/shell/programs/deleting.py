"""Programs that remove files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar

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
    for operand in parsed.operands:
        command.write(operand, "delete", follow=False, recursive=tree and command.is_tree(operand))


def rmdir(command: Command) -> None:
    """Remove empty directories."""
    parsed = command.parse(_RMDIR)
    command.say(None if parsed.has("v", "help", "version") else "")
    if not parsed.has("help", "version"):
        command.write_all(parsed.operands, "delete", follow=False)


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
