"""Programs whose output can be told: what they print feeds pipes and substitutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell import ansi
from phasegate.targets.shell.disk import disk_of, place
from phasegate.targets.shell.limits import MAX_FIELDS
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.text import UNKNOWN, literal

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_CAT = Grammar.of("-A|--show-all -b -e -E -n|--number -s -t -T -u -v --help --version")
_NAME = Grammar.of("-a|--multiple -s|--suffix: -z|--zero --help --version")


def echo(command: Command) -> None:
    """Print the arguments."""
    args = list(command.args)
    newline, escapes = "\n", False
    while (
        args
        and (text := args[0].text)
        and text[0] == "-"
        and len(text) > 1
        and not set(text[1:]) - set("neE")
    ):
        args.pop(0)
        newline = "" if "n" in text else newline
        escapes = "e" in text or (escapes and "E" not in text)
    texts = [None if arg.many else arg.text for arg in args]
    known = [text for text in texts if text is not None]
    joined = " ".join(known) if len(known) == len(texts) else None
    if joined is not None and escapes:
        command.say(None if "\\c" in joined else ansi.unescape(joined, echo=True) + newline)
    else:
        command.say(None if joined is None else joined + newline)
    command.state.status = True


def printf(command: Command) -> None:
    """Print by a format, or put the result into a variable with `-v`."""
    args = list(command.args)
    variable = None
    if args and args[0].prefix == "-v" and len(args) > 1:
        variable, args = args[1].text, args[2:]
    elif args and args[0].prefix.startswith("-v"):
        variable, args = args[0].cut(2).text, args[1:]
    if args and args[0].text == "--":
        args.pop(0)
    texts = [None if arg.many else arg.text for arg in args]
    known = [text for text in texts if text is not None]
    result = ansi.printf(known[0], known[1:]) if known and len(known) == len(texts) else None
    if variable is not None:
        command.say("")
        name = variable.partition("[")[0]
        value = UNKNOWN if result is None else literal(result)
        if name == variable:
            command.state.assign(name, value)
        else:
            command.state.forget([name])
    else:
        command.say(result)
    command.state.status = True


def cat(command: Command) -> None:
    """Copy standard input when no file is named."""
    parsed = command.parse(_CAT)
    only_input = all(operand.text == "-" for operand in parsed.operands)
    if only_input and len(parsed.operands) <= 1 and not parsed.options:
        command.say(command.state.stdin)
        command.state.stdin = "" if command.state.stdin is not None else None
        command.state.status = True
        return
    texts = [command.text_in(operand) for operand in parsed.operands]
    known = [text for text in texts if text is not None]
    command.say("".join(known) if len(known) == len(texts) and not parsed.options else None)


def pwd(command: Command) -> None:
    """Print the directory."""
    physical = any(arg.text == "-P" for arg in command.args)
    cwd = place(command.shell.view, command.state, ".").path if physical else command.state.cwd
    command.say(None if command.state.lost else cwd + "\n")
    command.state.status = True


def names(command: Command) -> None:
    """`dirname` and `basename`."""
    parsed = command.parse(_NAME)
    texts = [command.text_of(operand) for operand in parsed.operands]
    known = [text for text in texts if text is not None]
    if len(known) != len(texts) or not known or parsed.options or parsed.strange:
        command.say(None)
        return
    if command.name == "dirname":
        command.say("".join(_dirname(text) + "\n" for text in known))
    else:
        base = known[0].rstrip("/").rpartition("/")[2] or known[0][:1]
        suffix = known[1] if len(known) > 1 else ""
        command.say((base.removesuffix(suffix) if base != suffix else base) + "\n")
    command.state.status = True


def _dirname(path: str) -> str:
    head = path.rstrip("/").rpartition("/")
    if not head[1]:
        return "/" if path.startswith("/") else "."
    return head[0].rstrip("/") or "/"


def real(command: Command) -> None:
    """`realpath` and `readlink -f` of known names."""
    operands = [arg for arg in command.args if not arg.prefix.startswith("-")]
    flags = [arg.text for arg in command.args if arg.prefix.startswith("-")]
    text = command.text_of(operands[0]) if len(operands) == 1 else None
    plain = not flags if command.name == "realpath" else flags in (["-f"], ["-m"])
    if text is None or not plain or command.state.lost:
        command.say(None)
    else:
        command.say(place(command.shell.view, command.state, text).path + "\n")


def ls(command: Command) -> None:
    """Names of plain files given as operands; anything else is unknown."""
    disk = disk_of(command.shell.view, command.state)
    texts = [command.text_of(arg) for arg in command.args]
    known = [text for text in texts if text and not text.startswith("-")]
    if not known or len(known) != len(texts):
        command.say(None)
        return
    kinds = []
    for text in known:
        status = disk.lstat(place(command.shell.view, command.state, text).path)
        kinds.append(None if status is None else status.kind)
    command.say("".join(f"{text}\n" for text in sorted(known)) if set(kinds) == {"file"} else None)


def seq(command: Command) -> None:
    """Print a sequence of integers."""
    texts = [arg.text or "" for arg in command.args]
    numbers = _sequence(texts) if all(t.lstrip("-").isdigit() and not t[6:] for t in texts) else None
    if numbers is None or len(numbers) > MAX_FIELDS:
        command.say(None)
    else:
        command.say("".join(f"{number}\n" for number in numbers))


def _sequence(texts: list[str]) -> range | None:
    match [int(text) for text in texts]:
        case [last]:
            return range(1, last + 1)
        case [first, last]:
            return range(first, last + 1)
        case [first, step, last] if step:
            return range(first, last + (1 if step > 0 else -1), step)
    return None


def which(command: Command) -> None:
    """Places of programs: any place will do, because programs go by their base name."""
    operands = [arg for arg in command.args if not arg.prefix.startswith("-")]
    texts = [command.text_of(operand) for operand in operands]
    known = [text for text in texts if text]
    plain = len(known) == len(texts) == len(command.args) and all("/" not in text for text in known)
    command.say("".join(f"/usr/bin/{text}\n" for text in known) if plain else None)


def silent(command: Command) -> None:
    """Prints nothing and succeeds: `:`, `true`."""
    command.say("")
    command.state.status = True


def fail(command: Command) -> None:
    """`false`."""
    command.say("")
    command.state.status = False
