"""Programs that pack, unpack and compress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.programs.git_files import touch_patched
from phasegate.targets.shell.text import Field, field, join, literal, number_of

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_TAR = Grammar.of(
    "-A|--catenate|--concatenate -c|--create -d|--diff|--compare --delete -r|--append -t|--list --test-label"
    " -u|--update -x|--extract|--get --check-device -g|--listed-incremental: -G|--incremental --hole-detection:"
    " --ignore-failed-read --level: -n|--seek --no-check-device --no-seek --occurrence? --sparse-version: -S|--sparse"
    " -k|--keep-old-files --keep-newer-files --keep-directory-symlink --no-overwrite-dir --one-top-level? --overwrite"
    " --overwrite-dir --recursive-unlink --remove-files --skip-old-files -U|--unlink-first -W|--verify"
    " --ignore-command-error --no-ignore-command-error -O|--to-stdout --to-command: --atime-preserve?"
    " --delay-directory-restore --group: --group-map: --mode: --mtime: -m|--touch --no-delay-directory-restore"
    " --no-same-owner --no-same-permissions --numeric-owner --owner: --owner-map: -p|--preserve-permissions"
    " --same-permissions --same-owner -s|--preserve-order --sort: --acls --no-acls --selinux --no-selinux --xattrs"
    " --no-xattrs --xattrs-exclude: --xattrs-include: --force-local -f|--file: -F|--info-script|--new-volume-script:"
    " -L|--tape-length: -M|--multi-volume --rmt-command: --rsh-command: --volno-file: -b|--blocking-factor:"
    " -B|--read-full-records -i|--ignore-zeros --record-size: -H|--format: --old-archive --portability --pax-option:"
    " --posix -V|--label: -a|--auto-compress -I|--use-compress-program: -j|--bzip2 -J|--xz --lzip --lzma --lzop"
    " --no-auto-compress --zstd -z|--gzip|--gunzip|--ungzip -Z|--compress --backup? --suffix: -C|--directory:"
    " --exclude: --exclude-backups --exclude-caches --exclude-ignore: --exclude-vcs --exclude-vcs-ignores"
    " -h|--dereference --hard-dereference -K|--starting-file: --newer-mtime: --no-null --no-recursion"
    " --no-unquote --no-verbatim-files-from --null -N|--newer: --one-file-system -P|--absolute-names --recursion"
    " --strip-components: --transform|--xform: -T|--files-from: --unquote --verbatim-files-from -X|--exclude-from:"
    " --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --wildcards --checkpoint?"
    " --checkpoint-action: --full-time --index-file: -l -o --quoting-style: -R|--block-number --show-defaults"
    " --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names --totals? --utc -v|--verbose"
    " --warning: -w|--interactive --clamp-mtime --help --usage --version"
)


def tar(command: Command) -> None:
    """Create, extend, list or extract an archive."""
    args = list(command.args)
    first = args[0].text if args else None
    if first and first[0] != "-" and "=" not in first:
        args = _old_style(first, args[1:])
    command.args = args
    parsed = command.parse(_TAR)
    _tar_side_effects(command, parsed)
    archive = parsed.last("f")
    if parsed.has("c", "r", "u", "A", "delete") and archive is not None:
        _write_archive(command, archive)
    if parsed.has("c", "r", "u") and parsed.has("remove-files"):
        for operand in parsed.operands:
            command.write(operand, "delete", follow=False, recursive=command.kind(operand) == "dir")
    if parsed.has("x"):
        _extract(command, parsed)


def _tar_side_effects(command: Command, parsed: Parsed) -> None:
    """Files that options name, and programs that options run."""
    for option in ("index-file", "volno-file", "g"):
        for value in parsed.values(option):
            command.write(value, via=f"tar --{option}")
    for option in ("to-command", "F", "checkpoint-action", "rsh-command"):
        if parsed.has(option):
            command.opaque(f"tar runs the program given by `{option}`")
    for value in parsed.values("I"):
        if (value.text or "?").partition(" ")[0].rpartition("/")[2] not in _SUFFIXES:
            command.opaque("tar runs the program given by `-I`")


def _old_style(letters: str, rest: Sequence[Field]) -> list[Field]:
    """Options without a dash: their values follow in the order of the letters."""
    options: list[Field] = []
    values = list(rest)
    for letter in letters:
        options.append(field(f"-{letter}"))
        if letter in "fbCTXgFLNVHIK" and values:
            options.append(values.pop(0))
    return [*options, *values]


def _write_archive(command: Command, archive: Field) -> None:
    if archive.text is not None and (archive.text == "-" or ":" in archive.text.partition("/")[0]):
        return
    command.write(archive)


def _extract(command: Command, parsed: Parsed) -> None:
    if parsed.has("O"):
        return
    directories = parsed.values("C")
    base = directories[-1] if directories else None
    top = parsed.last("one-top-level")
    if parsed.has("one-top-level") and top is not None:
        command.write(_under(base, top), recursive=True)
        return
    plain = not any(
        parsed.has(o) for o in ("transform", "strip-components", "wildcards", "P", "T", "X", "exclude")
    )
    members = [operand for operand in parsed.operands if operand.text is not None]
    if plain and members and len(members) == len(parsed.operands):
        for member in members:
            # A member may be a directory: everything below it comes along.
            command.write(_under(base, member), recursive=True)
    elif base is not None:
        command.write(base, recursive=True)
    else:
        command.opaque("the names are inside the archive", remedy="extract into a directory given by `-C`")


def _under(directory: Field | None, name: Field) -> Field:
    if directory is None:
        return name
    return Field(join((directory.value, literal("/"), name.value)), name.typed, name.many)


_ZIP = Grammar.of(
    "-r|--recurse-paths -R -m|--move -d|--delete -u|--update -f|--freshen -g -q|--quiet -v|--verbose -j|--junk-paths"
    " -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -e|--encrypt -P|--password: -x|--exclude -i|--include -T|--test -y|--symlinks -X"
    " -D -A -o -b|--temp-path: -O|--output-file: -n: -s: -@ -l -z -c -t: -FS -sf -h --help"
)


def zip_(command: Command) -> None:
    """Create or change a zip archive."""
    parsed = command.parse(_ZIP)
    if not parsed.operands or parsed.has("h", "help", "sf"):
        return
    archive = parsed.last("O") or parsed.operands[0]
    if archive.text == "-":
        return
    text = archive.text
    if text is not None and "." not in text.rpartition("/")[2]:
        archive = field(text + ".zip", archive.typed)
    command.write(archive)
    if parsed.has("m"):
        for operand in parsed.operands[1:]:
            command.write(operand, "delete", follow=False, recursive=command.kind(operand) == "dir")


_UNZIP = Grammar.of(
    "-l -p -t -Z -v -z -c -n -o -q -j -a -b -f -u -C -L -M -V -X -K -D -U -W -d: -x -P: -O: -I: -h --help -: -^ -$ -/ -s -T"
)


def unzip(command: Command) -> None:
    """Extract a zip archive, or a few members of it."""
    parsed = command.parse(_UNZIP)
    if parsed.has("l", "p", "t", "Z", "v", "z", "c", "h", "help", "T") or not parsed.operands:
        return
    directory = parsed.last("d")
    members: list[Field] = []
    for operand in parsed.operands[1:]:
        if operand.text == "-x":
            break
        members.append(operand)
    known = members and all(m.text is not None and not set(m.text) & set("*?[") for m in members)
    if known and not parsed.has("j", "x"):
        for member in members:
            command.write(_under(directory, member))
    elif directory is not None:
        command.write(directory, recursive=True)
    else:
        command.opaque("the names are inside the archive", remedy="extract into a directory given by `-d`")


_GZIP = Grammar.of(
    "-a|--ascii -c|--stdout|--to-stdout -d|--decompress|--uncompress -f|--force -h|--help -k|--keep -l|--list -L|--license"
    " -n|--no-name -N|--name -q|--quiet -r|--recursive --rsyncable -S|--suffix: --synchronous -t|--test -v|--verbose"
    " -V|--version -1|--fast -2 -3 -4 -5 -6 -7 -8 -9|--best -0 -z|--compress -s|--small -e|--extreme -T|--threads: -o:"
    " -p|--processes: -b|--blocksize: -i -R --rm -D: -B -m -M: -Q: --format: -F: --memlimit: --ultra -w: -W"
    " --single-stream --block-size: -H"
)
_SUFFIXES: Mapping[str, str] = {
    "gzip": ".gz", "pigz": ".gz", "bzip2": ".bz2", "pbzip2": ".bz2", "xz": ".xz", "lzma": ".lzma", "zstd": ".zst",
    "lz4": ".lz4", "lzip": ".lz", "lzop": ".lzo", "brotli": ".br", "compress": ".Z", "pxz": ".xz",
    "gunzip": ".gz", "unpigz": ".gz", "bunzip2": ".bz2", "unxz": ".xz", "unlzma": ".lzma", "unzstd": ".zst",
    "unlz4": ".lz4", "uncompress": ".Z", "unbrotli": ".br",
}  # fmt: skip
COMPRESSORS = frozenset(_SUFFIXES)
_EXPANDING = frozenset(name for name in _SUFFIXES if name.startswith(("un", "gun", "bun")))
_KEEPING = frozenset({"zstd", "unzstd", "lz4", "unlz4", "brotli", "unbrotli", "lzop"})


def gzip(command: Command) -> None:
    """Compress or expand files, each replaced by its other form."""
    parsed = command.parse(_GZIP)
    if parsed.has("c", "l", "t", "h", "V", "L"):
        return
    out = parsed.last("o")
    if out is not None and command.name in ("zstd", "brotli", "xz", "lz4", "unzstd"):
        command.write(out, via=f"{command.name} -o")
        return
    expands = parsed.has("d") or command.name in _EXPANDING
    suffix = parsed.last("S")
    ending = _SUFFIXES[command.name] if suffix is None else suffix.text
    keeps = (parsed.has("k") or command.name in _KEEPING) and not parsed.has("rm")
    operands = parsed.operands
    if command.name == "lz4" and operands[1:] and not operands[2:]:
        command.write(operands[1])
        return
    for operand in operands:
        if operand.text == "-":
            continue
        if parsed.has("r") and (operand.text is None or command.kind(operand) == "dir"):
            command.write(operand, recursive=True)
            continue
        if not keeps:
            command.write(operand, "delete", follow=False)
        command.write(_other_form(operand, ending, expands=expands))


def _other_form(operand: Field, ending: str | None, *, expands: bool) -> Field:
    text = operand.text
    if text is None or ending is None:
        return Field(
            (*operand.value, None) if operand.value[-1:] != (None,) else operand.value, operand.typed
        )
    if not expands:
        return field(text + ending, operand.typed)
    for old, new in ((".tgz", ".tar"), (".tbz2", ".tar"), (".txz", ".tar")):
        if text.endswith(old):
            return field(text.removesuffix(old) + new, operand.typed)
    return field(text.removesuffix(ending), operand.typed)


_CPIO = Grammar.of(
    "-o|--create -i|--extract -p|--pass-through -t|--list -0|--null -a -A|--append -b -B -c -C: -d|--make-directories"
    " -D|--directory: -E|--pattern-file: -f|--nonmatching -F|--file: -H|--format: -I: -k -l|--link -L -m -M: -n"
    " --no-absolute-filenames --no-preserve-owner -O: -r|--rename -R|--owner: -s -S -u|--unconditional -v|--verbose"
    " -V --quiet --to-stdout --sparse --help --version"
)


def cpio(command: Command) -> None:
    """Copy files to or from an archive whose names are elsewhere."""
    parsed = command.parse(_CPIO)
    if parsed.has("t", "to-stdout", "help", "version"):
        return
    for value in parsed.values("F", "O"):
        if parsed.has("o"):
            command.write(value)
    directory = parsed.last("D")
    if parsed.has("p") and parsed.operands:
        command.write(parsed.operands[-1], recursive=True)
    elif parsed.has("i") and directory is not None:
        command.write(directory, recursive=True)
    elif parsed.has("i"):
        command.opaque("the names are inside the archive")


def seven_zip(command: Command) -> None:
    """7-Zip: a verb, an archive, members."""
    operands = [arg for arg in command.args if not arg.prefix.startswith("-")]
    verb = operands[0].text if operands else None
    if verb in ("l", "t", "h", "i", "b", None):
        return
    if verb in ("a", "u", "d", "rn") and len(operands) > 1:
        command.write(operands[1])
        if any(arg.text == "-sdel" for arg in command.args):
            command.write_all(operands[2:], "delete", follow=False)
    elif verb in ("x", "e"):
        into = [arg.cut(2) for arg in command.args if arg.prefix.startswith("-o")]
        if any(arg.text == "-so" for arg in command.args):
            return
        if into:
            command.write(into[-1], recursive=True)
        else:
            command.opaque(
                "the names are inside the archive", remedy="extract into a directory given by `-o`"
            )
    else:
        command.opaque("what 7-Zip does here is not known")


def unpacker(command: Command) -> None:
    """`unrar`, `unar`, `dtrx`, `unp`: the names are inside the archive."""
    if any(arg.text in ("l", "lb", "lt", "t", "v", "-l", "--list", "p") for arg in command.args[:1]):
        return
    command.opaque("the names are inside the archive")


def ar(command: Command) -> None:
    """`ar`: members are kept in an archive, or taken from it."""
    operands = [arg for arg in command.args if not arg.prefix.startswith("--")]
    keys = (operands[0].text or "") if operands else ""
    keys = keys.removeprefix("-")
    if set(keys) & set("rqdms") and len(operands) > 1:
        at = 2 if set(keys) & set("abi") and operands[2:] else 1
        command.write(operands[at])
    elif "x" in keys:
        members = operands[2:]
        if members:
            command.write_all(members)
        else:
            command.opaque("the names are inside the archive")
    elif not set(keys) & set("tp"):
        command.opaque("what ar does here is not known")


def patch(command: Command) -> None:
    """Apply a difference: to the file named, or to those that its text names."""
    parsed = command.parse(_PATCH)
    if parsed.has("dry-run", "v", "help"):
        return
    reject = parsed.last("r")
    if reject is not None and reject.text != "-":
        command.write(reject, via="patch -r")
    output = parsed.last("o")
    if output is not None:
        if output.text != "-":
            command.write(output, via="patch -o")
        return
    directory = parsed.last("d")
    if parsed.operands:
        command.write(_under(directory, parsed.operands[0]))
        return
    source = parsed.last("i")
    text = command.state.stdin if source is None or source.text == "-" else command.text_in(source)
    if text is None:
        command.opaque("the patch is not in the command")
        return
    base = () if directory is None else join((directory.value, literal("/")))
    # Without `-p` patch looks for the bare file name, and for the name as it is.
    strip = number_of(parsed.last("p"), -1)
    for count in (strip,) if strip >= 0 else (_ALL_PARTS, 0):
        touch_patched(command, text, count, base)


_ALL_PARTS = 1 << 10

_PATCH = Grammar.of(
    "-b|--backup --backup-if-mismatch --binary -B|--prefix: -c|--context -d|--directory: -D|--ifdef: --dry-run"
    " -e|--ed -E|--remove-empty-files -f|--force -F|--fuzz: -g|--get: --help -i|--input: -l|--ignore-whitespace"
    " --merge? -n|--normal -N|--forward --no-backup-if-mismatch -o|--output: -p|--strip: --posix --quoting-style:"
    " -r|--reject-file: -R|--reverse --read-only: -s|--quiet|--silent -t|--batch -T|--set-time -u|--unified"
    " -v|--version -V|--version-control: --verbose -x|--debug: -Y|--basename-prefix: -z|--suffix: -Z|--set-utc"
    " --reject-format: --follow-symlinks"
)


def jar(command: Command) -> None:
    """`jar`: like tar in its old style."""
    text = (command.args[0].text or "") if command.args else ""
    letters = (
        text.removeprefix("-")
        if not text.startswith("--")
        else {"--list": "t", "--extract": "x"}.get(text, "")
    )
    if "t" in letters:
        return
    names = command.args[1:]
    if "c" in letters or "u" in letters:
        if "f" in letters and names:
            command.write(names[-1] if letters.startswith("m") else names[0])
        return
    command.opaque("what jar does here is not known")
