"""Editors driven by a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.text import Field, field
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


def ed(command: Command) -> None:
    """`ed`, `ex`: a script on standard input; `w` writes."""
    operands = [arg for arg in command.args if not arg.prefix.startswith(("-", "+"))]
    script = command.state.stdin
    if script is None:
        command.opaque(f"the script of {command.name} is not known")
        for operand in operands:
            command.write(operand)
        return
    file = operands[-1] if operands else None
    for line in script.split("\n"):
        text = line.strip().lstrip("0123456789,$.%;")
        if text.startswith(("!", "r !", "w !")):
            command.opaque(f"{command.name} runs a command")
        elif (text[:1] in ("w", "W") and not text.startswith(("while", "wh"))) or text[:1] == "x":
            name = text.lstrip("wWqx!a").strip().lstrip(">").strip()
            target = field(name) if name else file
            if target is not None:
                command.write(target)


def ex(command: Command) -> None:
    """`ex`: as vim with `-c`, as ed with a script on standard input."""
    scripted = any(
        arg.prefix.startswith(("-c", "+", "--cmd")) or _is_command(arg.prefix) for arg in command.args
    )
    (vim if scripted else ed)(command)


def _is_command(option: str) -> bool:
    """Whether *option* is `-c`, maybe behind other letters as in `ex -sc`."""
    return option[:1] == "-" and option.endswith("c") and not set(option[1:-1]) - set("esEnVRm")


_VALUES = words("--cmd -S -s -u -i -U -W -w -T --startuptime")


def vim(command: Command) -> None:
    """`vim -c ...`: the files of `:w`, and the operands once anything is written."""
    # In Ex mode `-s` is "silent"; else it names a script.
    quiet = command.name == "ex" or any(arg.text in ("-e", "-E") for arg in command.args)
    pending = [arg for arg in command.args if not (quiet and arg.text == "-s")]
    commands: list[Field] = []
    operands: list[Field] = []
    while pending:
        arg = pending.pop(0)
        option = "-c" if _is_command(arg.prefix) else arg.prefix
        if option in _VALUES | {"-c"} and pending:
            commands.extend(_option(command, option, pending.pop(0)))
        elif option.startswith("+"):
            commands.append(arg.cut(1))
        elif not option.startswith("-") or option == "-":
            operands.append(arg)
    script = command.state.stdin
    if script and not commands and any(arg.text in ("-es", "-s", "-e", "-Es") for arg in command.args):
        commands = [field(line) for line in script.split("\n") if line]
    readonly = any(arg.text in ("-R", "-M", "--version", "--help", "-h") for arg in command.args)
    _vim_commands(command, commands, operands, readonly=readonly)


def _option(command: Command, option: str, value: Field) -> list[Field]:
    """The commands that an option with a value brings."""
    if option in ("-S", "-s"):
        command.opaque("the script of the editor is in a file")
    elif option in ("-W", "-w"):
        command.write(value)
    return [value] if option in ("-c", "--cmd") else []


_WRITING = words("w write wq x wa wqa xa wall up update saveas sav exit")
_RUNNING = ("!", "source", "so", "lua", "py", "ruby", "perl", "exe", "call", "r!", "bufdo", "argdo", "windo")


def _vim_commands(command: Command, commands: list[Field], operands: list[Field], *, readonly: bool) -> None:
    """Report what the commands of `-c` write; without any the editor is open to everything."""
    parts = [part for item in commands for part in (item.text or "!").split("|")]
    writes = [_vim_command(command, part) for part in parts]
    if readonly and not any(writes):
        return
    if not commands:
        command.opaque("an editor is opened")
    if any(writes) or not commands:
        command.write_all(operand for operand in operands if operand.text != "-")


def _vim_command(command: Command, part: str) -> bool:
    """Report one command; whether it writes the file that is edited."""
    fields = part.strip().lstrip(":%0123456789,$").split()
    verb = fields[0] if fields else ""
    if verb.rstrip("!") in _WRITING:
        named = fields[1:] and not fields[1].startswith("!")
        if named:
            command.write(field(fields[-1].lstrip(">")), via=f"{command.name} :w")
        return not named or verb.startswith("sav")
    if verb.startswith(_RUNNING):
        command.opaque("the editor runs a script or a command")
        return True
    return False
