"""Programs that run shell text: shells, `eval`, `source` and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell.mentions import tokens
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.state import State
from phasegate.targets.shell.text import Field, field, join, literal, with_stand_ins
from phasegate.targets.shell.words import PLAIN_BRACES

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_BASH = Grammar.of(
    "-a -b -c -e -f -h -i -k -l -m -n -o: -p -r -s -t -u -v -x -B -C -D -E -H -O: -P -T --login --norc --noprofile"
    " --posix --restricted --verbose --noediting --debugger --rcfile: --init-file: --version --help --dump-strings",
    permute=False,
)
_SILENT_VERSION = ("version", "help", "dump-strings")


def shell(command: Command) -> list[State]:
    """`bash`, `sh` and others: `-c` text, text on standard input, or a script."""
    args = [arg for arg in command.args if not (arg.prefix.startswith("+") and len(arg.prefix) > 1)]
    command.args = args
    parsed = command.parse(_BASH)
    state = command.state
    if parsed.has(*_SILENT_VERSION):
        command.say(None)
        return [state]
    if parsed.has("n") and not parsed.has("c"):
        command.say("")
        return [state]
    if parsed.has("c"):
        if not parsed.operands:
            return [state]
        if command.name == "zsh" and ">!" in (parsed.operands[0].text or ""):
            # Bash takes the mark for the name of the file.
            command.opaque("`>!` means something else in zsh", remedy="use `>|`")
        zero = parsed.operands[1] if len(parsed.operands) > 1 else None
        return run_text(command, parsed.operands[0], parsed.operands[2:], zero=zero)
    if parsed.operands and not parsed.has("s") and parsed.operands[0].text not in ("-", "/dev/stdin"):
        return _script(command, parsed.operands)
    operands = parsed.operands if parsed.has("s") else parsed.operands[1:]
    return run_input(command, operands)


def run_input(command: Command, params: Sequence[Field]) -> list[State]:
    """Run the text on standard input."""
    text = command.state.stdin
    if text is None:
        command.opaque("the program text on standard input is not known")
        return _unknown(command)
    command.state.stdin = ""
    return run_text(command, field(text), params)


def later(command: Command) -> list[State]:
    """`at` and `batch`: the text on standard input is run later, in the same directory."""
    parsed = command.parse(Grammar.of("-V -q: -f: -m -M -l -r -d -b -t: -v -c -u:"))
    if parsed.has("l", "V", "c", "r", "d"):
        return [command.state]
    script = parsed.last("f")
    return run_input(command, ()) if script is None else _script(command, [script])


def _script(command: Command, operands: Sequence[Field]) -> list[State]:
    text = command.text_in(operands[0])
    if text is not None:
        return run_text(command, field(text, operands[0].typed), operands[1:])
    command.opaque("what the script does is not known", remedy="put its commands into the call")
    return _unknown(command)


def run_text(
    command: Command,
    program: Field,
    params: Sequence[Field],
    *,
    zero: Field | None = None,
    same_shell: bool = False,
) -> list[State]:
    """Run shell text: in a child process, or in this shell (`eval`, `source`)."""
    state = command.state
    text = None if program.many else with_stand_ins(program.value)
    walker = None if text is None else command.shell.nested(text, command.origin)
    if walker is None:
        why = "the shell text is not known" if text is None else "the shell text can't be parsed"
        command.opaque(why, words=all_pieces(command, program))
        return _unknown(command)
    command.said = True
    nodes = walker.source.tree.get("Stmts") or []
    with command.shell.deeper():
        if same_shell:
            return walker.statements(nodes, state)

        def start(child: State) -> list[State]:
            child.params, child.zero = tuple(params), zero
            child.vars = {name: var for name, var in child.vars.items() if var.exported}
            child.functions, child.aliases, child.options = {}, frozenset(), _dialect(command.name)
            child.local_names = ()
            return walker.statements(nodes, child)

        command.shell.aside(start, state)
    return [state]


def _dialect(program: str) -> frozenset[str]:
    """Shell options that a new shell begins with."""
    return frozenset({PLAIN_BRACES}) if program in ("sh", "dash", "ash") else frozenset()


def all_pieces(command: Command, program: Field) -> list[str]:
    """Literal pieces of the arguments; those of the program text cut into tokens."""
    pieces = [piece for arg in command.args if arg is not program for piece in arg.value if piece]
    for piece in program.value:
        pieces.extend(tokens(piece or ""))
    return pieces


def _unknown(command: Command) -> list[State]:
    command.state.emit(None)
    command.said = True
    command.state.status = None
    return [command.state]


def evaluate(command: Command) -> list[State]:
    """`eval`: its arguments joined by blanks are run in this shell."""
    text = joined([arg for arg in command.args if arg.text != "--"], command.origin.text)
    if text.text == "":
        command.say("")
        return [command.state]
    return run_text(command, text, (), same_shell=True)


def source(command: Command) -> list[State]:
    """`.` and `source`: a script run in this shell."""
    if not command.args:
        return [command.state]
    path = command.args[0].text
    state = command.state
    from_input = path in ("/dev/stdin", "-", "/proc/self/fd/0")
    text = state.stdin if from_input else command.text_in(command.args[0])
    if from_input or text is not None:
        if text is None:
            command.opaque("the program text on standard input is not known")
            return _unknown(command)
        return run_text(command, field(text), command.args[1:], same_shell=True)
    command.opaque("what the script does is not known", remedy="put its commands into the call")
    # Its variables and directory are taken as they were: the call is marked anyway, and
    # what follows can then still be told.
    return _unknown(command)


def joined(args: Sequence[Field], typed: str) -> Field:
    """*args* joined by blanks, as shell text."""
    if any(arg.many for arg in args):
        return Field((None,), typed)
    parts = []
    for position, arg in enumerate(args):
        parts.extend([literal(" "), arg.value] if position else [arg.value])
    return Field(join(parts), typed)
