"""`rsync` and `scp`: copies that may go to or come from another machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.programs.destination import inside, is_target_directory, pairs

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.text import Field

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
    behind_links = recursive and parsed.has("L", "k", "copy-unsafe-links")
    inplace = parsed.has("inplace", "append", "append-verify")
    into = len(sources) > 1 or is_target_directory(command, destination, follow=True)
    for source in sources:
        text = source.text
        remote = is_remote(source)
        contents = text is not None and text.endswith("/")
        tree = remote or contents or (recursive and command.is_tree(source)) or text is None
        tree = tree or (behind_links and command.kind(source) == "dir")
        origin = None if remote else source
        if deletes and tree:
            command.write(destination, "delete", follow=False, recursive=True, via="rsync --delete")
        if (contents and recursive) or (deletes and tree) or text is None:
            command.write(destination, recursive=True, source=origin)
        elif into or tree:
            command.write(inside(destination, source), follow=inplace, recursive=tree, source=origin)
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
    for _, target in pairs(command, parsed):
        command.write(target, recursive=tree)
