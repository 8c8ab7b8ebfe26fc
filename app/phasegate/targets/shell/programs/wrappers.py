"""Programs that run another command given in their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.programs import nested
from phasegate.targets.shell.programs.builtins import cd
from phasegate.targets.shell.programs.wrapper_table import WRAPPERS
from phasegate.targets.shell.state import State, Var
from phasegate.targets.shell.text import Field, field

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


def wrapper(command: Command) -> list[State]:
    """Run the wrapped command, and report what the wrapper itself writes."""
    how = WRAPPERS[command.name]
    parsed = command.parse(how.grammar)
    for name in how.writes:
        for value in parsed.values(name):
            command.write(
                value, via=f"{command.name} -{name}" if len(name) == 1 else f"{command.name} --{name}"
            )
    for name in how.text:
        for value in parsed.values(name):
            nested.run_text(command, value, ())
    if parsed.has(*how.inert):
        return [command.state]
    rest = parsed.operands[how.skip :]
    if command.name in ("watch", "hyperfine"):
        return _texts(command, rest, joined=command.name == "watch" and not parsed.has("x"))
    return run_rest(command, rest)


def run_rest(command: Command, rest: Sequence[Field]) -> list[State]:
    """Run *rest*; nothing when it is empty."""
    return command.run(list(rest)) if rest else [command.state]


def _texts(command: Command, rest: Sequence[Field], *, joined: bool) -> list[State]:
    """Arguments that are shell text: all together, or each by itself."""
    if not joined and command.name == "watch":
        return run_rest(command, rest)
    if joined:
        nested.run_text(command, nested.joined(rest, command.origin.text), ())
    else:
        for text in rest:
            nested.run_text(command, text, ())
    return [command.state]


_SUDO = Grammar.of(
    "-A|--askpass -b|--background -B|--bell -C|--close-from: -D|--chdir: -e|--edit -E|--preserve-env? -g|--group:"
    " -H|--set-home -h|--host: -i|--login -k|--reset-timestamp -K|--remove-timestamp -l|--list -n|--non-interactive"
    " -N|--no-update -p|--prompt: -P|--preserve-groups -R|--chroot: -r|--role: -s|--shell -S|--stdin -t|--type:"
    " -T|--command-timeout: -U|--other-user: -u|--user: -v|--validate -V|--version --help",
    permute=False,
)


def sudo(command: Command) -> list[State]:
    """`sudo`, with its own directory, assignments and shell mode."""
    parsed = command.parse(_SUDO)
    if parsed.has("l", "v", "V", "help"):
        return [command.state]
    if parsed.has("e"):
        command.write_all(parsed.operands)
        return [command.state]
    if parsed.has("R"):
        command.opaque("the command runs below another root directory")
        return [command.state]
    rest = list(parsed.operands)
    directory = parsed.last("D")
    if parsed.has("s", "i") and rest:
        text = nested.joined(rest, command.origin.text)
        return _inside(command, directory, lambda: nested.run_text(command, text, ()))
    if parsed.has("s", "i"):
        return _inside(command, directory, lambda: nested.run_input(command, ()))
    return with_environment(command, rest, directory)


def with_environment(command: Command, rest: list[Field], directory: Field | None) -> list[State]:
    """Run *rest* after taking assignments from its front."""
    state = command.state
    before = dict(state.vars)
    while rest and _is_assignment(rest[0]):
        name = rest[0].prefix.partition("=")[0]
        state.vars[name] = Var(rest[0].cut(len(name) + 1).value, exported=True)
        rest = rest[1:]
    states = _inside(command, directory, lambda: run_rest(command, rest))
    for result in states:
        result.vars = dict(before)
    return states


def _is_assignment(arg: Field) -> bool:
    name, equals, _ = arg.prefix.partition("=")
    return bool(equals) and name.isidentifier()


def _inside(command: Command, directory: Field | None, step: Callable[[], list[State]]) -> list[State]:
    """Run *step* in *directory*, and come back."""
    if directory is None:
        return step()
    state = command.state
    cwd, previous, is_lost = state.cwd, state.previous, state.lost
    mover = replace(command, name="cd", args=[directory])
    moved = cd(mover)
    command.state = moved[0]
    command.state.stdin = state.stdin
    states = step()
    for result in states:
        result.cwd, result.previous, result.lost = cwd, previous, is_lost
    return states


_ENV = Grammar.of(
    "-i|--ignore-environment -0|--null -u|--unset: -C|--chdir: -S|--split-string: --block-signal? --default-signal?"
    " --ignore-signal? --list-signal-handling -v|--debug -a|--argv0: -P: --help --version",
    permute=False,
)


def env(command: Command) -> list[State]:
    """`env`: assignments, a directory and a command, maybe in one string."""
    args = list(command.args)
    if args and args[0].text == "-":
        args[0] = field("-i")
    command.args = args
    parsed = command.parse(_ENV)
    if parsed.has("help", "version"):
        return [command.state]
    rest = list(parsed.operands)
    split = parsed.last("S")
    if split is not None:
        words = split_string(split.text) if split.text is not None else None
        if words is None:
            command.opaque("the string of `env -S` can't be split", words=nested.all_pieces(command, split))
            return [command.state]
        inner = replace(command, args=[*(field(word) for word in words), *rest])
        again = inner.parse(_ENV)
        _merge(parsed, again)
        rest = list(again.operands)
    while rest and _is_assignment(rest[0]) is False and "=" in rest[0].prefix.partition("/")[0]:
        rest = rest[1:]
    return with_environment(command, rest, parsed.last("C"))


def _merge(parsed: Parsed, other: Parsed) -> None:
    parsed.options.extend(option for option in other.options if option[0] != "S")


def split_string(text: str) -> list[str] | None:
    """Words of a string by the rules of `env -S`; None when it uses variables or odd escapes."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    index = 0
    while index < len(text):
        char = text[index]
        index += 1
        if char == "\\" and index < len(text):
            char, index = text[index], index + 1
            if quote != "'" and char not in "\\\"'$# ":
                return None
            word = (word or "") + char
        elif quote and char == quote:
            quote = ""
        elif char in "'\"" and not quote:
            quote, word = char, word or ""
        elif char == "$" and quote != "'":
            return None
        elif char in " \t\n" and not quote:
            words.extend([] if word is None else [word])
            word = None
        else:
            word = (word or "") + char
    words.extend([] if word is None else [word])
    return None if quote else words


def builtin_command(command: Command) -> list[State]:
    """`command`, `builtin` and `exec`: run a program past functions and aliases."""
    args = list(command.args)
    state = command.state
    if command.name == "exec":
        parsed = command.parse(Grammar.of("-c -l -a:", permute=False))
        if not parsed.operands:
            command.say("")
            state.status = True
            return [state]
        states = _past_functions(command, parsed.operands)
        for result in states:
            result.jump = result.jump or "exit"
        return states
    parsed = command.parse(Grammar.of("-p -v -V", permute=False))
    if parsed.has("v", "V") or not args:
        names = [operand.text for operand in parsed.operands]
        command.say(f"/usr/bin/{names[0]}\n" if parsed.has("v") and len(names) == 1 and names[0] else None)
        return [state]
    return _past_functions(command, parsed.operands)


def _past_functions(command: Command, rest: Sequence[Field]) -> list[State]:
    state = command.state
    functions, state.functions = state.functions, {}
    states = run_rest(command, rest)
    for result in states:
        result.functions = {**functions, **result.functions}
    return states


_TIME = Grammar.of(
    "-a|--append -f|--format: -o|--output: -p|--portability -q|--quiet -v|--verbose --help -V", permute=False
)


def time(command: Command) -> list[State]:
    """GNU `time` started as a program."""
    parsed = command.parse(_TIME)
    for value in parsed.values("o"):
        command.write(value, "append" if parsed.has("a") else "write", via="time -o")
    return run_rest(command, parsed.operands)


_FLOCK = Grammar.of(
    "-s|--shared -x|-e|--exclusive -u|--unlock -n|--nonblock|--nb -w|--wait|--timeout: -o|--close -E|--conflict-exit-code:"
    " -c|--command: -F|--no-fork --verbose -h|--help -V|--version",
    permute=False,
)


def flock(command: Command) -> list[State]:
    """Run a command under a lock; the lock file is made when it is missing."""
    parsed = command.parse(_FLOCK)
    rest = list(parsed.operands)
    if not rest:
        return [command.state]
    locked = rest.pop(0)
    if locked.text is not None and not locked.text.isdigit() and command.lstat(locked.text) is None:
        command.write(locked, via="flock")
    if rest and rest[0].text in ("-c", "--command"):
        return nested.run_text(command, rest[1], ()) if len(rest) > 1 else [command.state]
    for value in parsed.values("c"):
        return nested.run_text(command, value, ())
    return run_rest(command, rest)


def busybox(command: Command) -> list[State]:
    """A multi-call binary: the first operand is the program."""
    rest = list(command.args)
    if not rest or rest[0].prefix.startswith("-"):
        return [command.state]
    return run_rest(command, rest)


def arch(command: Command) -> list[State]:
    """`arch`: shows the machine, or runs a command for another one."""
    rest = list(command.args)
    while rest and rest[0].prefix.startswith("-"):
        takes_value = rest.pop(0).text in ("-e", "-d", "-arch")
        rest = rest[1:] if takes_value else rest
    return run_rest(command, rest)


_SU = Grammar.of(
    "-c|--command: --session-command: -f|--fast -g|--group: -G|--supp-group: -l|--login -m|-p|--preserve-environment"
    " -P|--pty -s|--shell: -w|--whitelist-environment: -h|--help -V|--version"
)


def su(command: Command) -> list[State]:
    """`su USER -c TEXT`."""
    command.args = [arg for arg in command.args if arg.text != "-"]
    parsed = command.parse(_SU)
    text = parsed.last("c", "session-command")
    if text is not None:
        return nested.run_text(command, text, parsed.operands[1:])
    return nested.run_input(command, ())


_SCRIPT = Grammar.of(
    "-a|--append -c|--command: -e|--return -E: -f|--flush --force -B: -I|--log-in: -O|--log-out: -T|--log-timing:"
    " -m: -o: -q|--quiet -t? -h -V"
)


def script(command: Command) -> list[State]:
    """`script`: runs a command and keeps its terminal output in a file."""
    parsed = command.parse(_SCRIPT)
    files = parsed.operands[:1] or ([] if parsed.has("O", "I", "B") else [field("typescript")])
    for operand in [*files, *parsed.values("B", "I", "O", "T")]:
        command.write(operand, "append" if parsed.has("a") else "write")
    text = parsed.last("c")
    if text is not None:
        return nested.run_text(command, text, ())
    rest = parsed.operands[1:]
    if rest:
        return run_rest(command, rest)
    return nested.run_input(command, ())
