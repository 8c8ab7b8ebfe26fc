"""Programs that copy, move and link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import disk_of, place
from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.text import EMPTY, Field, field, join, literal

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
    recursive = parsed.has("R", "a")
    linking = parsed.has("s", "l")
    for source, target in _pairs(command, parsed):
        if _stays(command, parsed, source, target):
            continue
        tree = recursive and command.is_tree(source)
        follow = not (linking or parsed.has("remove-destination", "b", "S"))
        _backup(command, parsed, target)
        command.write(target, follow=follow, recursive=tree, source=source)
        if linking:
            _remember_link(command, source, target, symbolic=parsed.has("s"))
        elif parsed.has("R", "a", "d", "P") and not parsed.has("L", "H"):
            _remember(command, target, _link_text(command, source) or ("dir" if tree else "file"))


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
            tree = parsed.has("R", "a") and command.is_tree(source)
            whole = Field(join((directory.value, literal("/"), source.value)), source.typed, source.many)
            command.write(whole, recursive=tree, source=source)


def mv(command: Command) -> None:
    """Move files: each source is lost, each destination written."""
    parsed = command.parse(_MV)
    if _only_tells(command, parsed):
        return
    # Where they go is found out before anything is gone: a source may be on the way.
    moves = [
        (source, target, command.moves_tree(source, target), _link_text(command, source))
        for source, target in _pairs(command, parsed)
        if not _stays(command, parsed, source, target)
    ]
    for source, target, tree, _ in moves:
        _backup(command, parsed, target)
        command.write(target, "move_to", follow=False, recursive=tree, source=source)
        if parsed.has("exchange"):
            command.write(source, "move_to", follow=False, recursive=tree, source=target)
    for source, target, tree, link in moves:
        command.write(source, "move_from", follow=False, recursive=tree)
        _remember(command, target, "dir" if tree else link or "file")


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
    for source, target in _pairs(command, parsed, follow_directory=not plain_name):
        _backup(command, parsed, target)
        symbolic = parsed.has("s")
        pointed = _pointed(source, target) if symbolic and not parsed.has("r") else source
        command.write(target, follow=False, source=pointed)
        _remember_link(command, source, target, symbolic=symbolic)


def link(command: Command) -> None:
    """`link FILE NAME`."""
    match command.args:
        case [source, target]:
            command.write(target, follow=False, source=source)
            _remember_link(command, source, target, symbolic=False)


def install(command: Command) -> None:
    """`install`: copies with a mode, or makes directories with `-d`."""
    parsed = command.parse(_INSTALL)
    if _only_tells(command, parsed):
        return
    if parsed.has("d"):
        for operand in parsed.operands:
            _remember(command, operand, "dir")
        return
    for source, target in _pairs(command, parsed):
        _backup(command, parsed, target)
        command.write(target, follow=False, source=source)


def _only_tells(command: Command, parsed: Parsed) -> bool:
    """Whether the call prints its help or version only."""
    command.say(None if parsed.has("help", "version", "v", "debug") else "")
    return parsed.has("help", "version")


def _pairs(command: Command, parsed: Parsed, *, follow_directory: bool = True) -> list[tuple[Field, Field]]:
    """Sources with the names that they get."""
    directory = parsed.last("t")
    if directory is not None:
        return [(source, _inside(directory, source)) for source in parsed.operands]
    if not parsed.operands[1:]:
        for operand in parsed.operands:
            if operand.many:
                command.opaque("the operands are not known", destroys=_lost_directories(command, [operand]))
        return []
    sources, last = parsed.operands[:-1], parsed.operands[-1]
    if last.many:
        command.opaque("the destination is not known")
    if parsed.has("T"):
        ways = {False}
    elif len(sources) > 1 or (sources[0].many and command.text_of(last) is None):
        ways = {True}
    else:
        ways = _ways(command, last, follow=follow_directory)
    return [(source, _inside(last, source) if into else last) for into in sorted(ways) for source in sources]


def _ways(command: Command, last: Field, *, follow: bool) -> set[bool]:
    """Whether *last* is a directory; both, where that hangs on whether an earlier removal worked."""
    ways = {_is_target_directory(command, last, follow=follow)}
    if command.state.disk:
        before = command.state.copy()
        before.disk = {path: what for path, what in before.disk.items() if what != "gone"}
        ways.add(_is_target_directory(replace(command, state=before), last, follow=follow))
    return ways


def _is_target_directory(command: Command, last: Field, *, follow: bool) -> bool:
    text = command.text_of(last)
    if text is None:
        return False
    if text.endswith("/"):
        return True
    if not follow:
        status = command.lstat(text)
        return status is not None and status.kind == "dir"
    return command.kind(last) == "dir"


def _lost_directories(command: Command, operands: Sequence[Field]) -> tuple[str, ...]:
    return tuple(path for operand in operands for path in command.known_directory(operand))


def _inside(directory: Field, source: Field) -> Field:
    """The name that *source* gets inside *directory*."""
    text = source.text
    if text is None or source.many:
        name: tuple[str | None, ...] = (None,)
    else:
        base = text.rstrip("/").rpartition("/")[2]
        # The children of `DIR/.` come straight into the destination.
        name = EMPTY if base in (".", "..", "") else literal(base)
    if name == EMPTY:
        return directory
    slash = EMPTY if directory.value and (directory.value[-1] or "").endswith("/") else literal("/")
    return Field(join((directory.value, slash, name)), directory.typed, directory.many)


def _backup(command: Command, parsed: Parsed, target: Field) -> None:
    """Report the file under which an overwritten one is kept."""
    suffix = parsed.last("S")
    if not parsed.has("b") and suffix is None:
        return
    control = parsed.last("b")
    if control is not None and control.text in ("none", "off"):
        return
    if control is not None and control.text in ("numbered", "t"):
        ending = literal(".~1~")
    else:
        ending = literal("~") if suffix is None else suffix.value
    text = command.text_of(target)
    if text is not None and not command.may_exist(text):
        return
    command.write(
        Field(join((target.value, ending)), target.typed, target.many), via=f"{command.name} --backup"
    )


def _link_text(command: Command, source: Field) -> str | None:
    text = command.text_of(source)
    if text is None:
        return None
    path = place(command.shell.view, command.state, text, follow=False).path
    target = disk_of(command.shell.view, command.state).readlink(path)
    return None if target is None else f"link:{target}"


def _remember(command: Command, operand: Field, what: str) -> None:
    text = command.text_of(operand)
    if text:
        command.state.disk[place(command.shell.view, command.state, text, follow=False).path] = what


def _pointed(source: Field, target: Field) -> Field:
    """What a symbolic link at *target* leads to: a relative text is taken from where the link stands."""
    above, slash, _ = (target.text or "").rstrip("/").rpartition("/")
    if source.prefix.startswith("/") or not slash:
        return source
    return Field(join((literal(f"{above}/"), source.value)), source.typed, source.many)


def _remember_link(command: Command, source: Field, target: Field, *, symbolic: bool) -> None:
    made, pointed = command.text_of(target), command.text_of(source)
    if not made or not pointed:
        return
    path = place(command.shell.view, command.state, made, follow=False).path
    if symbolic:
        command.state.disk[path] = f"link:{pointed}"
        return
    original = place(command.shell.view, command.state, pointed).path
    command.state.twins[path] = original
    command.state.twins.setdefault(original, path)


_RSYNC = Grammar.of(
    "-v|--verbose -q|--quiet --no-motd -c|--checksum -a|--archive -r|--recursive -R|--relative --no-implied-dirs"
    " -b|--backup --backup-dir: --suffix: -u|--update --inplace --append --append-verify -d|--dirs --mkpath"
    " -l|--links -L|--copy-links --copy-unsafe-links --safe-links --munge-links -k|--copy-dirlinks"
    " -K|--keep-dirlinks -H|--hard-links -p|--perms -E|--executability --chmod: -A|--acls -X|--xattrs -o|--owner"
    " -g|--group --devices --copy-devices --write-devices --specials -D -t|--times -U|--atimes --open-noatime"
    " -N|--crtimes -O|--omit-dir-times -J|--omit-link-times --super --fake-super -S|--sparse --preallocate"
    " -n|--dry-run -W|--whole-file --checksum-choice: -x|--one-file-system -B|--block-size: -e|--rsh:"
    " --rsync-path: --existing --ignore-existing --remove-source-files --del --delete --delete-before"
    " --delete-during --delete-delay --delete-after --delete-excluded --ignore-missing-args"
    " --delete-missing-args --ignore-errors --force --max-delete: --max-size: --min-size: --max-alloc: --partial"
    " --partial-dir: --delay-updates -m|--prune-empty-dirs --numeric-ids --usermap: --groupmap: --chown:"
    " --timeout: --contimeout: -I|--ignore-times --size-only -@|--modify-window: -T|--temp-dir: -y|--fuzzy"
    " --compare-dest: --copy-dest: --link-dest: -z|--compress --compress-choice: --compress-level: --skip-compress:"
    " -C|--cvs-exclude -f|--filter: -F --exclude: --exclude-from: --include: --include-from: --files-from: -0|--from0"
    " --old-args -s|--secluded-args --trust-sender --copy-as: --address: --port: --sockopts: --blocking-io"
    " --outbuf: --stats -8|--8-bit-output -h|--human-readable --progress -P -i|--itemize-changes -M|--remote-option:"
    " --out-format: --log-file: --log-file-format: --password-file: --early-input: --list-only --bwlimit:"
    " --stop-after: --stop-at: --fsync --write-batch: --only-write-batch: --read-batch: --protocol: --iconv:"
    " --checksum-seed: -4|--ipv4 -6|--ipv6 -V|--version --help --info: --debug: --stderr: --no-o --no-g --no-p"
    " --no-t --no-perms --no-owner --no-group --no-times --no-r --no-recursive --no-inc-recursive --zc: --zl:"
)


def rsync(command: Command) -> None:
    """Copy by rsync, which replaces a destination instead of writing through a link."""
    parsed = command.parse(_RSYNC)
    command.say(None)
    _rsync_side_effects(command, parsed)
    if parsed.has("n", "list-only", "V", "help") or not parsed.operands[1:]:
        return
    destination, sources = parsed.operands[-1], parsed.operands[:-1]
    for source in sources if parsed.has("remove-source-files") else ():
        if not is_remote(source):
            command.write(source, "delete", follow=False, recursive=command.is_tree(source))
    if is_remote(destination):
        return
    if parsed.has("read-batch", "files-from"):
        command.write(destination, recursive=True)
    else:
        _rsync_targets(command, parsed, sources, destination)
    for value in parsed.values("backup-dir"):
        command.write(value, recursive=True)


def _rsync_side_effects(command: Command, parsed: Parsed) -> None:
    """Files that options name, and a program that an option runs."""
    for value in parsed.values("e"):
        if (value.text or "?").partition(" ")[0].rpartition("/")[2] not in ("ssh", "rsh"):
            command.opaque("rsync runs the program given by `-e`")
    for name in ("log-file", "write-batch", "only-write-batch"):
        for value in parsed.values(name):
            command.write(value, via=f"rsync --{name}")


def _rsync_targets(command: Command, parsed: Parsed, sources: Sequence[Field], destination: Field) -> None:
    if parsed.has("R"):
        command.write(destination, follow=False, recursive=True)
        return
    deletes = any(name.startswith("del") for name, _ in parsed.options)
    recursive = parsed.has("a", "r", "d")
    inplace = parsed.has("inplace", "append", "append-verify")
    into = len(sources) > 1 or _is_target_directory(command, destination, follow=True)
    for source in sources:
        text = source.text
        remote = is_remote(source)
        contents = text is not None and text.endswith("/")
        tree = remote or contents or (recursive and command.is_tree(source)) or text is None
        origin = None if remote else source
        if deletes and tree:
            command.write(destination, "delete", follow=False, recursive=True, via="rsync --delete")
        if (contents and recursive) or (deletes and tree) or text is None:
            command.write(destination, recursive=True, source=origin)
        elif into or tree:
            command.write(_inside(destination, source), follow=inplace, recursive=tree, source=origin)
        else:
            command.write(destination, follow=inplace, source=origin)


def is_remote(operand: Field) -> bool:
    """Whether *operand* names a file on another machine (`host:path`, `scheme://`)."""
    head = operand.prefix
    colon = head.find(":")
    slash = head.find("/")
    return colon > 0 and (slash < 0 or colon < slash)


_SCP = Grammar.of("-1 -2 -3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v -c: -D: -F: -i: -J: -l: -o: -P: -S: -X:")


def scp(command: Command) -> None:
    """Copy from or to another machine."""
    parsed = command.parse(_SCP)
    if not parsed.operands[1:] or is_remote(parsed.operands[-1]):
        return
    tree = parsed.has("r")
    for _, target in _pairs(command, parsed):
        command.write(target, recursive=tree)


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
