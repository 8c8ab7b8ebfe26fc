"""Builtins that change the shell's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.paths import absolute, is_windows, lexical
from phasegate.targets.shell.conditions import compare
from phasegate.targets.shell.disk import is_directory, place
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.state import State, Var
from phasegate.targets.shell.text import EMPTY, UNKNOWN, Field, field, literal

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_CD = Grammar.of("-L -P -e -@")
_READ = Grammar.of("-a: -d: -e -i: -n: -N: -p: -r -s -t: -u:", permute=False)
_MAPFILE = Grammar.of("-d: -n: -O: -s: -t -u: -C: -c:", permute=False)


def cd(command: Command) -> list[State]:
    """Change the directory; where that may fail, the old one stays possible."""
    parsed = command.parse(_CD)
    command.say("")
    state = command.state
    if not parsed.operands:
        home = _home(command)
        return _go(command, None if home is None else field(home), physical=False)
    operand = parsed.operands[0]
    if operand.text == "-":
        if state.previous is None:
            return _go(command, None, physical=False)
        command.said = False
        return _go(command, field(state.previous), physical=False)
    return _go(command, operand, physical=parsed.has("P") or "physical" in state.options)


def _home(command: Command) -> str | None:
    var = command.state.vars.get("HOME")
    if var is not None:
        return var.text[0] if len(var.text) == 1 else None
    return command.shell.view.home()


def _go(command: Command, operand: Field | None, *, physical: bool) -> list[State]:
    state = command.state
    text = None if operand is None else command.text_of(operand)
    if text is None or ("CDPATH" in state.vars and state.vars["CDPATH"].text != EMPTY):
        state.lost = True
        if operand is not None and operand.prefix:
            head = operand.prefix.rpartition("/")[0]
            state.others = (*state.others, place(command.shell.view, state, head or ".").path)
        state.status = True
        return [state]
    if text == "":
        state.status = True
        return [state]
    exists = is_directory(command.shell.view, state, text)
    target = _destination(command, text, physical=physical)
    if text.startswith("/"):
        state.lost = False
    if exists:
        state.move(target)
        state.status = True
        return [state]
    stays = state.copy()
    stays.status = False
    state.move(target)
    state.status = True
    return [state, stays]


def _destination(command: Command, text: str, *, physical: bool) -> str:
    state = command.state
    if physical:
        return place(command.shell.view, state, text).path
    return lexical(absolute(state.cwd, text), windows=is_windows(state.cwd))


def pushd(command: Command) -> list[State]:
    """Change the directory and remember the old one."""
    state = command.state
    operands = [arg for arg in command.args if arg.text != "-n"]
    if not operands:
        state.lost = state.lost or state.stack is None
        if not state.stack:
            return [state]
        operands = [field(state.stack[0])]
        state.stack = state.stack[1:]
    before = state.cwd
    states = _go(command, operands[0], physical=False)
    for result in states:
        if result.status is not False and result.stack is not None:
            result.stack = (before, *result.stack)
    return states


def popd(command: Command) -> list[State]:
    """Go back to the directory remembered last."""
    state = command.state
    if command.args or not state.stack:
        state.lost = state.lost or bool(command.args) or state.stack is None
        return [state]
    target, state.stack = state.stack[0], state.stack[1:]
    return _go(command, field(target), physical=False)


def set_options(command: Command) -> None:
    """`set`: shell options and positional parameters."""
    state = command.state
    state.status = True
    args = list(command.args)
    if args:
        command.say("")
    while args:
        text = args[0].text
        if text is None:
            break
        if text in ("--", "-"):
            state.params = tuple(args[1:])
            return
        if not text[1:] or text[0] not in "-+":
            break
        args.pop(0)
        if text[1:].endswith("o") and args:
            _option(state, args.pop(0).text, on=text[0] == "-")
        for letter in text[1:]:
            _option(state, {"f": "noglob", "P": "physical", "e": "errexit"}.get(letter), on=text[0] == "-")
    if args:
        state.params = tuple(args)


def _option(state: State, name: str | None, *, on: bool) -> None:
    if name is not None:
        state.options = state.options | {name} if on else state.options - {name}


def shopt(command: Command) -> None:
    """`shopt`: more shell options."""
    parsed = command.parse(Grammar.of("-s -u -q -p -o"))
    for operand in parsed.operands:
        if parsed.has("s") or parsed.has("u"):
            _option(command.state, operand.text, on=parsed.has("s"))
    command.state.status = True
    command.say("" if parsed.has("s", "u", "q") else None)


def shift(command: Command) -> None:
    """Drop positional parameters from the front."""
    state = command.state
    count = command.args[0].text if command.args else "1"
    command.say("")
    if count is None or not count.isdigit() or state.params is None:
        state.params = None
        return
    dropped = state.params[: int(count)]
    state.params = None if any(item.many for item in dropped) else state.params[int(count) :]
    state.status = len(dropped) == int(count) or None


def unset(command: Command) -> None:
    """Remove variables and functions."""
    command.say("")
    command.state.status = True
    for arg in command.args:
        name = arg.text
        if name is None:
            command.state.forget(command.state.vars)
        elif not name.startswith("-"):
            base = name.partition("[")[0]
            if base != name:
                command.state.forget([base])
            elif name in command.state.vars or name not in command.state.functions:
                command.state.vars[name] = Var(EMPTY, unset=True)
            else:
                del command.state.functions[name]


def read(command: Command) -> None:
    """Read a line of standard input into variables."""
    parsed = command.parse(_READ)
    state = command.state
    command.say("")
    names = [operand.text for operand in parsed.operands]
    if any(name is None for name in names):
        state.forget(state.vars)
        return
    known = [name for name in names if name] or ["REPLY"]
    array = parsed.last("a")
    if array is not None and array.text:
        state.vars[array.text] = Var(is_list=True)
        known = []
    simple = not (parsed.has("d", "n", "N", "u", "a", "i", "t") or parsed.strange)
    if state.stdin is None or not simple:
        delimiter = parsed.last("d")
        if state.stdin is not None and delimiter is not None and delimiter.text == "" and len(known) == 1:
            _take_all(state, known[0])
            return
        state.forget(known)
        state.stdin = None
        return
    line, newline, rest = state.stdin.partition("\n")
    state.stdin = rest
    state.status = bool(newline)
    if "\\" in line and not parsed.has("r"):
        state.forget(known)
        return
    _share_out(state, known, line)


def _take_all(state: State, name: str) -> None:
    state.assign(name, literal((state.stdin or "").strip()))
    state.stdin = ""
    state.status = False


def _share_out(state: State, names: list[str], line: str) -> None:
    """Cut *line* at IFS; the last name gets the rest."""
    separators = state.vars["IFS"].text if "IFS" in state.vars else (" \t\n",)
    ifs = separators[0] if len(separators) == 1 else "" if not separators else None
    if ifs is None:
        state.forget(names)
        return
    blanks = "".join(char for char in ifs if char in " \t\n")
    rest = line.strip(blanks) if blanks else line
    for name in names[:-1]:
        at = min((index for char in ifs if (index := rest.find(char)) >= 0), default=len(rest))
        state.assign(name, literal(rest[:at]))
        rest = _after_separator(rest[at:], ifs, blanks)
    if rest[-1:] and rest[-1] in ifs and not _has_separator(rest[:-1], ifs):
        rest = rest[:-1]
    state.assign(names[-1], literal(rest))


def _after_separator(rest: str, ifs: str, blanks: str) -> str:
    rest = rest.lstrip(blanks) if blanks else rest
    if rest[:1] and rest[0] in ifs:
        rest = rest[1:]
    return rest.lstrip(blanks) if blanks else rest


def _has_separator(text: str, ifs: str) -> bool:
    return any(char in ifs for char in text)


def mapfile(command: Command) -> None:
    """Read all lines of standard input into an array."""
    parsed = command.parse(_MAPFILE)
    state = command.state
    command.say("")
    name = parsed.operands[0].text if parsed.operands else "MAPFILE"
    if name is None:
        state.forget(state.vars)
        return
    plain = not (parsed.has("d", "n", "O", "s", "u", "C") or parsed.strange)
    if state.stdin is None or not plain or not parsed.has("t"):
        state.vars[name] = Var(is_list=True)
        return
    lines = state.stdin.split("\n")
    if lines[-1] == "":
        lines.pop()
    state.vars[name] = Var(items={str(at): literal(line) for at, line in enumerate(lines)}, is_list=True)
    state.stdin = ""
    state.status = True


def leave(command: Command) -> None:
    """`exit`, `return`, `break`, `continue` and `logout`."""
    state = command.state
    command.say("")
    state.jump = "exit" if command.name == "logout" else command.name
    code = command.args[0].text if command.args else "0"
    if command.name in ("break", "continue"):
        state.status = True
    else:
        state.status = None if code is None or not command.args else code == "0"


def alias(command: Command) -> None:
    """Remember the names of aliases: their commands can't be followed."""
    command.say(None)
    for arg in command.args:
        name = arg.prefix.partition("=")[0]
        if "=" in arg.prefix:
            command.state.aliases |= {name}


def getopts(command: Command) -> None:
    """Takes options one by one: what it sets is unknown."""
    command.say("")
    names = [command.args[1].text or ""] if len(command.args) > 1 else []
    command.state.forget([*names, "OPTARG", "OPTIND"])


def declare_words(command: Command) -> None:
    """`export NAME=value` and its kin when they come as plain words (`command export ...`)."""
    command.say("")
    for arg in command.args:
        name, equals, _ = arg.prefix.partition("=")
        if equals and not name.startswith("-"):
            command.state.assign(name, arg.cut(len(name) + 1).value, exported=command.name == "export")
        elif arg.text is None:
            command.state.forget(command.state.vars)
    command.state.status = True


def let(command: Command) -> None:
    """`let` as a plain word: what it assigns is unknown."""
    command.say("")
    for arg in command.args:
        name = arg.prefix.partition("=")[0].rstrip("+-*/%&|^<>").strip()
        command.state.vars[name] = Var(UNKNOWN)


def trap(command: Command) -> list[State]:
    """The action of a trap runs at some time from now on."""
    command.say("")
    args = [arg for arg in command.args if arg.text != "--"]
    if not args[1:] or args[0].prefix.startswith("-") or args[0].text == "":
        command.state.status = True
        return [command.state]
    from_now = command.state.copy()
    text = command.text_of(args[0])
    walker = None if text is None else command.shell.nested(text, command.origin)
    if walker is None:
        command.opaque("the action of the trap can't be read")
    else:
        walker.statements(walker.source.tree.get("Stmts") or [], from_now)
    command.state.status = True
    return [command.state]


def test(command: Command) -> None:
    """`test` and `[`: reads only."""
    command.say("")
    args = [arg.text for arg in command.args if not (command.name == "[" and arg.text == "]")]
    command.state.status = _tested(args)


def _tested(args: list[str | None]) -> bool | None:
    """The outcome of a test of known texts."""
    match args:
        case [("-n" | "-z") as op, str() as text]:
            return (text != "") is (op == "-n")
        case [str() as left, ("=" | "==" | "!=") as op, str() as right]:
            return (left == right) is (op != "!=")
        case [first, str() as op, second]:
            return compare(op, first, second)
    return None
