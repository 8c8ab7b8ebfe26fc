"""Programs that create, cut, stamp and mark the files they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.core.call import ContentChange
from phasegate.targets.shell.disk import place
from phasegate.targets.shell.options import Grammar

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_TEE = Grammar.of("-a|--append -i|--ignore-interrupts -p --output-error? --help --version")
_TOUCH = Grammar.of(
    "-a -c|--no-create -d|--date: -f -h|--no-dereference -m -r|--reference: -t: --time: --help --version"
)
_TRUNCATE = Grammar.of("-c|--no-create -o|--io-blocks -r|--reference: -s|--size: --help --version")
_MKDIR = Grammar.of("-m|--mode: -p|--parents -v|--verbose -Z --context? --help --version")
_SPECIAL = Grammar.of("-m|--mode: -Z --context? --help --version")


def tee(command: Command) -> None:
    """Copy standard input to every operand."""
    parsed = command.parse(_TEE)
    state = command.state
    text = state.stdin
    op = "append" if parsed.has("a") else "write"
    if not parsed.has("help", "version"):
        for operand in parsed.operands:
            before = command.text_in(operand) if op == "append" else ""
            key = command.write(operand, "append" if op == "append" else "write")
            change = command.unknown_change()
            if text is not None:
                change = ContentChange("append" if op == "append" else "replace", text)
            command.change(key, change)
            if key is not None and text is not None and before is not None:
                state.files[key[0]] = before + text
    command.say(text)
    state.stdin = "" if text is not None else None


def touch(command: Command) -> None:
    """Create files or change their times."""
    parsed = command.parse(_TOUCH)
    command.say("")
    if parsed.has("help", "version"):
        return
    for operand in parsed.operands:
        text = command.text_of(operand)
        if text is not None and parsed.has("c") and not command.may_exist(text):
            continue
        if text != "-":
            command.write(operand, follow=not parsed.has("h"))


def truncate(command: Command) -> None:
    """Cut files to a size."""
    parsed = command.parse(_TRUNCATE)
    command.say("")
    if parsed.has("help", "version"):
        return
    for operand in parsed.operands:
        if parsed.has("c") and operand.text is not None and not command.may_exist(operand.text):
            continue
        command.write(operand, "truncate")


_FALLOCATE = Grammar.of(
    "-c|--collapse-range -d|--dig-holes -i|--insert-range -l|--length: -n|--keep-size -o|--offset: -p|--punch-hole"
    " -v|--verbose -x|--posix -z|--zero-range -h|--help -V|--version"
)


def fallocate(command: Command) -> None:
    """Reserve or punch space in files."""
    parsed = command.parse(_FALLOCATE)
    if not parsed.has("h", "V"):
        command.write_all(parsed.operands)


def mkdir(command: Command) -> None:
    """Make directories: no target, but what follows may be done in them."""
    parsed = command.parse(_MKDIR)
    command.say(None if parsed.has("v", "help", "version") else "")
    command.state.status = True
    for operand in parsed.operands:
        text = command.text_of(operand)
        if not text:
            continue
        path = place(command.shell.view, command.state, text).path
        while path not in ("/", "") and command.kind_of_path(path) is None:
            command.state.disk[path] = "dir"
            if not parsed.has("p"):
                break
            path = path.rpartition("/")[0]


def special(command: Command) -> None:
    """`mkfifo` and `mknod`: a new name that is no plain file."""
    parsed = command.parse(_SPECIAL)
    command.say("")
    if parsed.has("help", "version"):
        return
    operands = parsed.operands[:1] if command.name == "mknod" else parsed.operands
    command.write_all(operands)


_CHMOD = Grammar.of(
    "-c|--changes -f|--silent|--quiet -v|--verbose --no-preserve-root --preserve-root --reference: -R|--recursive"
    " --dereference -h|--no-dereference -H -L -P --help --version"
)
_CHOWN = Grammar.of(
    "-c|--changes -f|--silent|--quiet -v|--verbose --dereference -h|--no-dereference --from: --no-preserve-root"
    " --preserve-root --reference: -R|--recursive -H -L -P --help --version"
)
_CHCON = Grammar.of(
    "-u|--user: -r|--role: -t|--type: -l|--range: -R|--recursive -h|--no-dereference --reference: -v -H -L -P"
)


def chmod(command: Command) -> None:
    """Change modes. A mode such as `-x` looks like an option and is an operand."""
    modes = [arg for arg in command.args if _is_removing_mode(arg.text)]
    command.args = [arg for arg in command.args if not _is_removing_mode(arg.text)]
    _mark(command, _CHMOD, skipped=0 if modes else 1)


def _is_removing_mode(text: str | None) -> bool:
    return bool(text and len(text) > 1 and text[0] == "-" and not set(text[1:]) - set("rwxXstugoa,=+-"))


def chown(command: Command) -> None:
    """Change the owner or group."""
    _mark(command, _CHOWN, skipped=1)


def chcon(command: Command) -> None:
    """Change the security context."""
    parsed = command.parse(_CHCON)
    _mark(command, _CHCON, skipped=0 if parsed.has("u", "r", "t", "l") else 1)


def _mark(command: Command, grammar: Grammar, *, skipped: int) -> None:
    parsed = command.parse(grammar)
    command.say(None if parsed.has("c", "v", "help", "version") else "")
    if parsed.has("help", "version"):
        return
    start = 0 if parsed.has("reference") else skipped
    for operand in parsed.operands[start:]:
        tree = parsed.has("R") and (operand.text is None or command.kind(operand) == "dir")
        command.write(operand, "chmod", follow=not parsed.has("h"), recursive=tree)


def chattr(command: Command) -> None:
    """Change attributes: operands are those that begin with none of `+-=`."""
    names = []
    skip = False
    for arg in command.args:
        if skip:
            skip = False
        elif arg.prefix[:1] in ("+", "-", "="):
            skip = arg.text in ("-p", "-v")
        else:
            names.append(arg)
    tree = any(arg.text == "-R" for arg in command.args)
    for operand in names:
        command.write(operand, "chmod", recursive=tree and command.kind(operand) == "dir")


_SETFACL = Grammar.of(
    "-m|--modify: -M|--modify-file: -x|--remove: -X|--remove-file: -b|--remove-all -k|--remove-default --set:"
    " --set-file: --mask -n|--no-mask -d|--default --restore: --test -R|--recursive -L|--logical -P|--physical"
    " -v|--version -h|--help"
)


def setfacl(command: Command) -> None:
    """Change access control lists."""
    parsed = command.parse(_SETFACL)
    if parsed.has("test", "v", "h"):
        return
    if parsed.has("restore"):
        command.opaque("the files are named inside the file of `--restore`")
    for operand in parsed.operands:
        command.write(operand, "chmod", recursive=parsed.has("R") and command.kind(operand) == "dir")


_SETFATTR = Grammar.of("-n|--name: -v|--value: -x|--remove: -h|--no-dereference --restore: --help --version")


def setfattr(command: Command) -> None:
    """Change extended attributes."""
    parsed = command.parse(_SETFATTR)
    if parsed.has("restore"):
        command.opaque("the files are named inside the file of `--restore`")
    command.write_all(parsed.operands, "chmod", follow=not parsed.has("h"))
