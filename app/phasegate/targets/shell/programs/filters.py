"""Small programs whose output is an operand, or has a name of its own making."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import place
from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.text import Field, field, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


_SPLIT = Grammar.of(
    "-a|--suffix-length: --additional-suffix: -b|--bytes: -C|--line-bytes: -d|--numeric-suffixes? -x|--hex-suffixes?"
    " -e|--elide-empty-files --filter: -l|--lines: -n|--number: -t|--separator: -u|--unbuffered --verbose --help --version",
    numeric=True,
)


def split(command: Command) -> None:
    """`split`: names made from a prefix; reported when the input is known, else opaque."""
    parsed = command.parse(_SPLIT)
    if parsed.has("help", "version"):
        return
    if parsed.has("filter"):
        command.opaque("split runs a program for each part")
        return
    _prefixed(command)


def csplit(command: Command) -> None:
    """`csplit`: names made from a prefix."""
    parsed = command.parse(
        Grammar.of(
            "-b|--suffix-format: -f|--prefix: -k|--keep-files --suppress-matched -n|--digits: -s|--quiet|--silent"
            " -z|--elide-empty-files --help --version"
        )
    )
    if not parsed.has("help", "version"):
        _prefixed(command)


def _prefixed(command: Command) -> None:
    """Files whose names begin with a prefix, which is among the words."""
    command.opaque(f"{command.name} makes the names of its files", remedy="write the parts one by one")


def uniq(command: Command) -> None:
    """`uniq IN OUT`."""
    parsed = command.parse(
        Grammar.of(
            "-c|--count -d|--repeated -D --all-repeated? -f|--skip-fields: --group? -i|--ignore-case -s|--skip-chars:"
            " -u|--unique -z|--zero-terminated -w|--check-chars: --help --version",
            numeric=True,
        )
    )
    if len(parsed.operands) > 1 and not parsed.has("help", "version") and parsed.operands[1].text != "-":
        command.write(parsed.operands[1])


def xxd(command: Command) -> None:
    """`xxd IN OUT`; `-r` patches its output."""
    values = {"-c", "-cols", "-g", "-groupsize", "-l", "-len", "-n", "-name", "-o", "-R", "-s", "-seek"}
    operands: list[Field] = []
    skip = False
    for arg in command.args:
        if skip:
            skip = False
        elif arg.prefix.startswith("-") and arg.text != "-":
            skip = arg.text in values
        else:
            operands.append(arg)
    if len(operands) > 1 and operands[1].text != "-":
        command.write(operands[1])


def second_operand(command: Command) -> None:
    """A filter that writes its second operand: `uuencode`-like, `pdftotext`, `cjpeg`."""
    operands = [arg for arg in command.args if not arg.prefix.startswith("-")]
    if len(operands) > 1:
        command.write(operands[1])


def history(command: Command) -> None:
    """`history -w FILE` and `-a FILE`."""
    args = [arg.text or "" for arg in command.args]
    for at, text in enumerate(args):
        if text in ("-w", "-a"):
            if at + 1 < len(args):
                command.write(
                    command.args[at + 1], "append" if text == "-a" else "write", via=f"history {text}"
                )
            else:
                command.opaque("the history file is not named")


def logsave(command: Command) -> None:
    """`logsave FILE COMMAND`."""
    args = [arg for arg in command.args if not arg.prefix.startswith("-")]
    if args:
        command.write(args[0], "append" if any(arg.text == "-a" for arg in command.args) else "write")
        if len(args) > 1:
            command.run(args[1:])


def rename(command: Command) -> None:
    """`rename`, `mmv`: names made by a pattern or an expression."""
    if any(arg.text in ("-n", "--no-act", "--nono", "--dry-run") for arg in command.args):
        return
    operands = [arg for arg in command.args if not arg.prefix.startswith("-")]
    for operand in operands[1:]:
        if operand.text is not None and command.lstat(operand.text) is not None:
            command.write(operand, "move_from", follow=False)
    command.opaque("the new names are made by a pattern", remedy="use `mv` with both names")


_TEMPORARY = ("/tmp/", "/var/tmp/")  # noqa: S108 (compared with what an agent typed, never opened)


def mktemp(command: Command) -> None:
    """`mktemp`: a new file that nobody has yet, mostly below the directory for temporary files.

    Its name is random; a made-up one with a number in it stands for it.
    """
    parsed = command.parse(
        Grammar.of("-d|--directory -u|--dry-run -q|--quiet --suffix: -p: --tmpdir? -t --help --version")
    )
    template = parsed.operands[0].text if parsed.operands else "tmp.XXXXXXXXXX"
    if template is not None and parsed.has("t") and "XXX" not in template:
        # Elsewhere than on Linux this is a beginning of the name.
        template += ".XXX"
    directory = _temporary_directory(command, parsed)
    suffix = (parsed.last("suffix") or field("")).text
    if template is None or directory is None or suffix is None or "XXX" not in template:
        command.opaque("mktemp makes the name of the file")
        command.say(None)
        return
    command.shell.context.made_up += 1
    head, _, tail = template.rpartition("XXX")
    path = f"{directory}{head}{command.shell.context.made_up:03}{tail}{suffix}"
    if parsed.has("d"):
        command.state.disk[place(command.shell.view, command.state, path).path] = "dir"
    elif not parsed.has("u") and not path.startswith(_TEMPORARY):
        command.write(field(path))
        command.opaque("mktemp makes the name of the file")
    command.say(path + "\n")


def _temporary_directory(command: Command, parsed: Parsed) -> str | None:
    """The directory before the name, with its slash; None when it is not known."""
    given = parsed.last("p", "tmpdir")
    if parsed.operands and not parsed.has("p", "tmpdir", "t"):
        return ""
    if given is not None:
        return None if given.text is None else given.text.rstrip("/") + "/"
    variable = command.state.vars.get("TMPDIR")
    text = _TEMPORARY[0] if variable is None else plain(variable.text)
    return None if text is None else (text or _TEMPORARY[0]).rstrip("/") + "/"


def recode(command: Command) -> None:
    """`recode FROM..TO FILE ...` rewrites its files."""
    operands = [arg for arg in command.args if not arg.prefix.startswith("-")]
    command.write_all(operands[1:])


def ctags(command: Command) -> None:
    """`ctags`: an index, in the file of `-f` or under its usual name."""
    parsed = command.parse(
        Grammar.of(
            "-f|-o: -R|--recurse? -a|--append? -e -L: -x --languages: --exclude: --options: --list-kinds? --version --help"
        )
    )
    if parsed.has("x", "version", "help", "list-kinds"):
        return
    name = parsed.last("f") or field("TAGS" if parsed.has("e") or command.name == "etags" else "tags")
    if name.text != "-":
        command.write(name)
