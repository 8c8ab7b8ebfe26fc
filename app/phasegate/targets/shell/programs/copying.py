"""Programs that copy, move and link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import disk_of, place
from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.programs.destination import pairs
from phasegate.targets.shell.programs.links import link_text, pointed_from, remember, remember_link
from phasegate.targets.shell.text import Field, field, join, literal

if TYPE_CHECKING:
    from phasegate.core.call import TargetOp
    from phasegate.targets.shell.command import Command

_BACKUP = (
    " -b|--backup? -S|--suffix: -t|--target-directory: -T|--no-target-directory -v|--verbose -Z|--context?"
)
_CP = Grammar.of(
    "-a|--archive -d -f|--force -i|--interactive -H -l|--link -L|--dereference -n|--no-clobber -P|--no-dereference"
    " -p -R|-r|--recursive -s|--symbolic-link -u --update? -x|--one-file-system --preserve? --no-preserve: --parents"
    " --attributes-only --reflink? --sparse: --remove-destination --strip-trailing-slashes --copy-contents --debug"
    " --keep-directory-symlink --help --version" + _BACKUP
)
_MV = Grammar.of(
    "-f|--force -i|--interactive -n|--no-clobber -u --update? --strip-trailing-slashes --no-copy --exchange --debug"
    " --help --version" + _BACKUP
)
_LN = Grammar.of(
    "-d|-F|--directory -f|--force -i|--interactive -L|--logical -n|-h|--no-dereference -P|--physical -r|--relative"
    " -s|--symbolic -w --help --version" + _BACKUP
)
_INSTALL = Grammar.of(
    "-c -C|--compare -d|--directory -D -g|--group: -m|--mode: -o|--owner: -p|--preserve-timestamps -s|--strip"
    " --strip-program: --preserve-context --debug --help --version" + _BACKUP
)


def cp(command: Command) -> None:
    """Copy files; the destination may be a directory, or given by `-t`."""
    parsed = command.parse(_CP)
    if _only_tells(command, parsed):
        return
    if parsed.has("parents"):
        _with_parents(command, parsed)
        return
    linking = parsed.has("s", "l")
    for source, target in pairs(command, parsed):
        if _stays(command, parsed, source, target):
            continue
        tree = _copies_tree(command, parsed, source)
        _backup(command, parsed, target)
        command.write(target, follow=not _replaces(parsed), recursive=tree, source=source)
        if linking:
            remember_link(command, source, target, symbolic=parsed.has("s"), forced=_forces(parsed))
        elif parsed.has("R", "a", "d", "P") and not parsed.has("L", "H"):
            remember(command, target, link_text(command, source) or ("dir" if tree else "file"))


def _copies_tree(command: Command, parsed: Parsed, source: Field) -> bool:
    """Whether a directory is copied, with `-H` and `-L` also one behind a link."""
    if not parsed.has("R", "a"):
        return False
    return command.is_tree(source) or (parsed.has("H", "L") and command.kind(source) == "dir")


def _forces(parsed: Parsed) -> bool:
    """Whether a link takes the place of a file."""
    return parsed.has("f", "i", "b", "S", "remove-destination")


def _replaces(parsed: Parsed) -> bool:
    """Whether `cp` makes its target anew, so that it doesn't write through a link."""
    return parsed.has("s", "l", "remove-destination", "b", "S")


def _stays(command: Command, parsed: Parsed, source: Field, target: Field) -> bool:
    """Whether the target is kept: the file itself, or an existing one under `-n`."""
    here, there = command.text_of(source), command.text_of(target)
    if here is None or there is None:
        return False
    view, state = command.shell.view, command.state
    if place(view, state, here, follow=False) == place(view, state, there, follow=False):
        return not parsed.has("b", "S", "s", "l")
    keeps = parsed.has("n") and not parsed.has("f", "i", "exchange", "R", "a")
    return keeps and command.lstat(there) is not None and not command.is_tree(target)


def _with_parents(command: Command, parsed: Parsed) -> None:
    directory = parsed.last("t") or (parsed.operands[-1] if parsed.operands else None)
    sources = parsed.operands if parsed.has("t") else parsed.operands[:-1]
    for source in sources:
        if directory is not None:
            tree = _copies_tree(command, parsed, source)
            whole = Field(join((directory.value, literal("/"), source.value)), source.typed, source.many)
            _backup(command, parsed, whole)
            command.write(whole, follow=not _replaces(parsed), recursive=tree, source=source)


def mv(command: Command) -> None:
    """Move files: each source is lost, each destination written."""
    parsed = command.parse(_MV)
    if _only_tells(command, parsed):
        return
    # Where they go is found out before anything is gone: a source may be on the way.
    moves = [
        (source, target, command.moves_tree(source, target), link_text(command, source))
        for source, target in pairs(command, parsed)
        if not _stays(command, parsed, source, target)
    ]
    for source, target, tree, _ in moves:
        _backup(command, parsed, target)
        command.write(target, "move_to", follow=False, recursive=tree, source=source)
        if parsed.has("exchange"):
            command.write(source, "move_to", follow=False, recursive=tree, source=target)
    for source, target, tree, link in moves:
        command.write(source, "move_from", follow=False, recursive=tree)
        remember(command, target, "dir" if tree else link or "file")


def ln(command: Command) -> None:
    """Make links: the destination is written; later writes may go through it."""
    parsed = command.parse(_LN)
    if _only_tells(command, parsed):
        return
    plain_name = parsed.has("n")
    operands = list(parsed.operands)
    if len(operands) == 1 and not parsed.has("t"):
        operands.append(field(".", operands[0].typed))
    parsed.operands = operands
    for source, target in pairs(command, parsed, follow_directory=not plain_name):
        _backup(command, parsed, target)
        symbolic = parsed.has("s")
        origin = pointed_from(source, target) if symbolic and not parsed.has("r") else source
        command.write(target, follow=False, source=origin)
        remember_link(command, source, target, symbolic=symbolic, forced=_forces(parsed))


def link(command: Command) -> None:
    """`link FILE NAME`."""
    match command.args:
        case [source, target]:
            command.write(target, follow=False, source=source)
            remember_link(command, source, target, symbolic=False)


def install(command: Command) -> None:
    """`install`: copies with a mode, or makes directories with `-d`."""
    parsed = command.parse(_INSTALL)
    if _only_tells(command, parsed):
        return
    if parsed.has("d"):
        for operand in parsed.operands:
            remember(command, operand, "dir")
        return
    for source, target in pairs(command, parsed):
        _backup(command, parsed, target)
        command.write(target, follow=False, source=source)


def _only_tells(command: Command, parsed: Parsed) -> bool:
    """Whether the call prints its help or version only."""
    command.say(None if parsed.has("help", "version", "v", "debug") else "")
    return parsed.has("help", "version")


def _backup(command: Command, parsed: Parsed, target: Field) -> None:
    """Report the file under which an overwritten one is kept."""
    suffix = parsed.last("S")
    if not parsed.has("b") and suffix is None:
        return
    given = parsed.last("b")
    control = None if given is None else given.text
    text = command.text_of(target)
    if control in ("none", "off") or (text is not None and not command.may_exist(text)):
        return
    last = 0 if text is None else _last_number(command, text)
    if control in ("numbered", "t") or (control in ("existing", "nil", None) and last):
        ending = literal(f".~{last + 1}~")
    else:
        ending = literal("~") if suffix is None else suffix.value
    command.write(
        Field(join((target.value, ending)), target.typed, target.many), via=f"{command.name} --backup"
    )


def _last_number(command: Command, text: str) -> int:
    """The highest number of the backups `FILE.~N~` that are there."""
    path = place(command.shell.view, command.state, text, follow=False).path
    above, _, name = path.rpartition("/")
    before, after = f"{name}.~", "~"
    numbers = [
        int(number)
        for listed in disk_of(command.shell.view, command.state).listdir(above or "/") or ()
        if listed.startswith(before)
        and (number := listed.removeprefix(before).removesuffix(after)).isdecimal()
    ]
    return max(numbers, default=0)


def dd(command: Command) -> None:
    """Write to the operand of `of=`."""
    appends = any(arg.prefix.startswith("oflag=") and "append" in arg.prefix for arg in command.args)
    op: TargetOp = "append" if appends else "write"
    written = False
    for arg in command.args:
        if arg.prefix.startswith("of="):
            command.write(arg.cut(3), op, via="dd of=")
            written = True
        elif arg.text is None and not arg.prefix:
            command.opaque("an operand of dd is not known")
    command.say("" if written else None)
