"""Databases, keys and other programs with an output of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.programs.nested import run_text
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.text import Field, field, join, literal

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_SQLITE = Grammar.of(
    "-append -ascii -bail -batch -box -column -cmd: -csv -deserialize -echo -init: -header -noheader -help -html"
    " -interactive -json -line -list -lookaside: -markdown -maxsize: -memtrace -mmap: -newline: -nofollow -nonce:"
    " -nullvalue: -pagecache: -pcachetrace -quote -readonly -safe -separator: -stats -table -tabs -unsafe-testing -version"
    " -vfs: -A",
    single=True,
)
_SQL_READS = ("select", "pragma table", "pragma index", "explain", "values", ".tables", ".schema", ".headers", ".mode",
              ".indexes", ".databases", ".dump", ".width", ".separator", ".show", ".help", ".print", ".nullvalue",
              ".timer", ".changes", ".echo", ".quit", ".exit", ".version", "with", "--", "/*", ".header", ".fullschema")  # fmt: skip


def sqlite(command: Command) -> None:
    """`sqlite3 FILE SQL ...`: the database, and the files of dot-commands."""
    command.args = [_one_dash(arg) for arg in command.args]
    parsed = command.parse(_SQLITE)
    if parsed.has("version", "help"):
        return
    operands = parsed.operands
    statements = [*parsed.values("cmd"), *operands[1:]]
    if parsed.has("init"):
        command.opaque("the statements are in a file")
    if len(operands) < 2 and not parsed.has("cmd"):
        text = command.state.stdin
        statements.append(Field((None,), "(standard input)") if text is None else field(text))
    reads = True
    for statement in statements:
        if statement.text is None:
            command.opaque("the statements are not known")
            reads = False
        else:
            reads = _statement(command, statement.text) and reads
    database = operands[0] if operands else None
    if database is None or database.text in (":memory:", "") or parsed.has("readonly") or reads:
        return
    command.write(database)


def _one_dash(arg: Field) -> Field:
    return arg.cut(1) if arg.prefix.startswith("--") else arg


def _statement(command: Command, text: str) -> bool:
    """Report the effects of statements on other files; whether they only read the database."""
    reads = True
    for line in text.split("\n"):
        words = line.split()
        if not words:
            continue
        verb = words[0].lower()
        if verb in (
            ".output",
            ".once",
            ".backup",
            ".save",
            ".clone",
            ".log",
            ".excel",
            ".trace",
            ".open",
            ".archive",
        ):
            _dot_command(command, verb, line.strip()[len(verb) :].strip())
        elif verb in (".shell", ".system"):
            run_text(command, field(line.strip()[len(verb) :]), ())
        elif verb in (".read", ".load", ".import"):
            command.opaque(f"`{verb}` takes more from a file")
            reads = reads and verb == ".read"
    lowered = [part.strip().lower() for part in text.split(";")]
    if (
        "writefile(" in text.lower()
        or "attach" in text.lower()
        or "edit(" in text.lower()
        or "into outfile" in text.lower()
    ):
        command.opaque("a statement writes another file")
    return reads and all(not part or part.startswith(_SQL_READS) or _only_dots(part) for part in lowered)


def _only_dots(part: str) -> bool:
    return all(not line.strip() or line.strip().startswith(".") for line in part.split("\n"))


def _dot_command(command: Command, verb: str, rest: str) -> None:
    name = rest.strip("'\"")
    if name.startswith("-"):
        name = name.rpartition(" ")[2]
    if name.startswith("|"):
        run_text(command, field(name[1:]), ())
    elif name and name not in ("stdout", "off", "main") and verb != ".archive":
        command.write(field(name.split(" ")[-1].strip("'\"")), via=f"sqlite3 {verb}")
    elif verb in (".excel", ".archive"):
        command.opaque(f"`{verb}` writes a file of its own")


_PSQL = Grammar.of(
    "-a|--echo-all -A|--no-align -b|--echo-errors -c|--command: -d|--dbname: -e -E -f|--file: -F|--field-separator:"
    " -h|--host: -H|--html -l|--list -L|--log-file: -n|--no-readline -o|--output: -p|--port: -P|--pset: -q|--quiet"
    " -R|--record-separator: -s -S -t|--tuples-only -T|--table-attr: -U|--username: -v|--set|--variable: -V|--version -w -W"
    " -x|--expanded -X|--no-psqlrc -z -0 -1|--single-transaction --csv --help"
)


def psql(command: Command) -> None:
    """`psql`: the database is elsewhere; outputs are here."""
    parsed = command.parse(_PSQL)
    for name in ("o", "L"):
        for value in parsed.values(name):
            if value.prefix.startswith("|"):
                run_text(command, value.cut(1), ())
            else:
                command.write(value, via=f"psql -{name}")
    for value in parsed.values("c"):
        text = (value.text or "\\").strip()
        if text.startswith("\\") or "\\g" in text or "\\o" in text or "\\!" in text:
            _psql_meta(command, text, value)
    if parsed.has("f"):
        command.opaque("the statements are in a file")
    elif not parsed.has("c", "l", "V", "help") and command.state.stdin is None:
        command.opaque("the statements are not known")
    elif command.state.stdin and not parsed.has("c") and "\\" in command.state.stdin:
        command.opaque("the statements use commands of psql")


_PSQL_READS = (
    "\\d",
    "\\l",
    "\\z",
    "\\x",
    "\\t",
    "\\conninfo",
    "\\timing",
    "\\echo",
    "\\q",
    "\\pset",
    "\\h",
    "\\?",
)


def _psql_meta(command: Command, text: str, value: Field) -> None:
    if value.text is not None and text.startswith(_PSQL_READS) and "\\g" not in text:
        return
    words = text.split()
    if "\\copy" in words[0].lower() and "to" in [word.lower() for word in words]:
        at = [word.lower() for word in words].index("to")
        if at + 1 < len(words) and words[at + 1].lower() not in ("stdout", "pstdout", "program"):
            command.write(field(words[at + 1].strip("'")), via="psql \\copy")
            return
    command.opaque("a command of psql may write a file")


def mysql(command: Command) -> None:
    """`mysql`: the database is elsewhere; `--tee` and `-r` write here."""
    for arg in command.args:
        if arg.prefix.startswith(("--tee=", "--result-file=", "-r")) and len(arg.prefix) > 2:
            command.write(arg.cut(len(arg.prefix.partition("=")[0]) + 1 if "=" in arg.prefix else 2))
    text = " ".join(arg.text or "" for arg in command.args).lower()
    if "system " in text or "\\!" in text or "into outfile" in text:
        command.opaque("a statement may write a file or run a program")


def dump(command: Command) -> None:
    """`pg_dump`, `mysqldump`: to standard output, or the file of an option."""
    parsed = command.parse(
        Grammar.of(
            "-f|--file|-r|--result-file: -F|--format: -d|--dbname: -h|--host: -p|--port: -U|--user|--username: -n: -N: -t:"
            " -T: -a -s -c -C -O -x -v -w -W -j: -Z: -u: -P: -B -A -E: -S: -b -q -Q -e -K -R --help --version"
        )
    )
    for value in parsed.values("f"):
        command.write(value, recursive=(parsed.last("F") or field("")).text in ("d", "directory"))


_OPENSSL_WRITES = ("-out", "-keyout", "-writerand", "-CAserial", "-caserial", "-msg_out", "-sess_out")


def openssl(command: Command) -> None:
    """`openssl`: the files of `-out` and `-keyout`."""
    args = command.args
    for at, arg in enumerate(args):
        if arg.text in _OPENSSL_WRITES and at + 1 < len(args):
            command.write(args[at + 1], via=f"openssl {arg.text}")
    texts = [arg.text for arg in args]
    verb = texts[0] if texts else None
    if verb in ("req", "genpkey", "genrsa", "ecparam") and None in texts:
        command.opaque("an argument of openssl is not known")
    if verb == "rand" and "-out" not in texts:
        return
    if verb == "ca" or verb is None or "-CAcreateserial" in texts:
        command.opaque("openssl keeps files of its own")


def ssh_keygen(command: Command) -> None:
    """`ssh-keygen`: a key and its public half, unless it only shows one."""
    parsed = command.parse(
        Grammar.of(
            "-A -a: -B -b: -C: -c -D: -E: -e -F: -f: -g -H -h -I: -i -K -k -L -l -M: -m: -N: -n: -O: -o -P: -p -Q -q -R:"
            " -r: -s: -t: -U -u -V: -v -w: -Y: -y -Z: -z:"
        )
    )
    name = parsed.last("f")
    if parsed.has("l", "B", "L", "y", "e", "i", "F", "D", "Q", "r"):
        return
    if parsed.has("R", "H"):
        home = command.shell.view.home()
        target = name or (field(f"{home}/.ssh/known_hosts") if home else None)
        command.write(target) if target is not None else command.opaque("the home directory is not known")
        return
    if name is None or parsed.has("A", "k", "M", "s", "Y", "K"):
        command.opaque("the name of the key file is not said", remedy="name it with `-f`")
        return
    command.write(name, via="ssh-keygen -f")
    if not parsed.has("p", "c"):
        command.write(Field(join((name.value, literal(".pub"))), name.typed, name.many), via="ssh-keygen -f")


def gpg(command: Command) -> None:
    """`gpg`: the file of `-o`, or a name made from the operand."""
    parsed = command.parse(
        Grammar.of(
            "-o|--output: -a|--armor -b|--detach-sign -c|--symmetric -d|--decrypt -e|--encrypt -s|--sign --clear-sign"
            " --clearsign -r|--recipient: -u|--local-user: -q|--quiet -v|--verbose -k|--list-keys|--list-public-keys"
            " -K|--list-secret-keys --verify --import --export --batch --yes --passphrase: --passphrase-file:"
            " --passphrase-fd: --pinentry-mode: --fingerprint --homedir: --keyring: --no-default-keyring --with-colons"
            " --trust-model: --version --help --status-fd: --keyserver: --recv-keys --cipher-algo: -z: --show-keys"
        )
    )
    out = parsed.last("o")
    if out is not None:
        if out.text != "-":
            command.write(out, via="gpg -o")
        return
    if parsed.has("k", "K", "verify", "fingerprint", "export", "version", "help", "show-keys", "d"):
        return
    ending = ".asc" if parsed.has("a", "clear-sign", "clearsign") else ".sig" if parsed.has("b") else ".gpg"
    if parsed.has("c", "e", "s", "b", "clear-sign", "clearsign"):
        for operand in parsed.operands:
            command.write(Field(join((operand.value, literal(ending))), operand.typed, operand.many))
    else:
        command.opaque("gpg keeps files of its own")


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
    prefix = parsed.operands[1] if len(parsed.operands) > 1 else field("x")
    _prefixed(command, prefix)


def csplit(command: Command) -> None:
    """`csplit`: names made from a prefix."""
    parsed = command.parse(
        Grammar.of(
            "-b|--suffix-format: -f|--prefix: -k|--keep-files --suppress-matched -n|--digits: -s|--quiet|--silent"
            " -z|--elide-empty-files --help --version"
        )
    )
    if not parsed.has("help", "version"):
        _prefixed(command, parsed.last("f") or field("xx"))


def _prefixed(command: Command, prefix: Field) -> None:
    """Files whose names begin with *prefix*: opaque, with the prefix among the words."""
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


def mktemp(command: Command) -> None:
    """`mktemp`: a new file nobody has yet, mostly below the directory for temporary files."""
    parsed = command.parse(
        Grammar.of("-d|--directory -u|--dry-run -q|--quiet --suffix: -p|--tmpdir? -t --help --version")
    )
    for operand in parsed.operands:
        text = operand.text
        if (
            text is not None
            and "/" in text
            and not text.startswith(("/tmp/", "/var/tmp/"))
            and not parsed.has("u")
        ):
            command.opaque("mktemp makes the name of the file")
    command.say(None)


def opaque_editor(command: Command) -> None:
    """An editor whose script can't be followed: its operands may be written."""
    command.opaque(f"what {command.name} does to its files is not known")


def ed(command: Command) -> None:
    """`ed`, `ex`: a script on standard input; `w` writes."""
    operands = [
        arg for arg in command.args if not arg.prefix.startswith("-") and not arg.prefix.startswith("+")
    ]
    script = command.state.stdin
    if script is None:
        command.opaque(f"the script of {command.name} is not known")
        for operand in operands:
            command.write(operand)
        return
    file = operands[-1] if operands else None
    for line in script.split("\n"):
        text = line.strip().lstrip("0123456789,$.%;")
        if text.startswith("!") or text.startswith("r !") or text.startswith("w !"):
            command.opaque(f"{command.name} runs a command")
        elif text[:1] in ("w", "W") and not text.startswith(("while", "wh")) or text[:1] == "x":
            name = text.lstrip("wWqx!a").strip().lstrip(">").strip()
            target = field(name) if name else file
            if target is not None:
                command.write(target)


def ex(command: Command) -> None:
    """`ex`: as vim with `-c`, as ed with a script on standard input."""
    scripted = any(arg.prefix.startswith(("-c", "+", "--cmd")) for arg in command.args)
    (vim if scripted else ed)(command)


def vim(command: Command) -> None:
    """`vim -c ...`: the files of `:w`, and the operands once anything is written."""
    args = list(command.args)
    # In Ex mode `-s` is "silent"; else it names a script.
    quiet = command.name == "ex" or any(arg.text in ("-e", "-E") for arg in args)
    commands: list[Field] = []
    operands: list[Field] = []
    while args:
        arg = args.pop(0)
        text = arg.prefix
        if text == "-s" and quiet:
            continue
        if text in ("-c", "--cmd", "-S", "-s", "-u", "-i", "-U", "-W", "-w", "-T", "--startuptime") and args:
            value = args.pop(0)
            if text in ("-c", "--cmd"):
                commands.append(value)
            elif text in ("-S", "-s") and not (text == "-s" and value.prefix.startswith("-")):
                command.opaque("the script of the editor is in a file")
            elif text in ("-W", "-w"):
                command.write(value)
        elif text.startswith("+"):
            commands.append(arg.cut(1))
        elif not text.startswith("-") or text == "-":
            operands.append(arg)
    readonly = any(arg.text in ("-R", "-M", "--version", "--help", "-h") for arg in command.args)
    if (
        command.state.stdin
        and not commands
        and any(arg.text in ("-es", "-s", "-e", "-Es") for arg in command.args)
    ):
        commands = [field(line) for line in command.state.stdin.split("\n") if line]
    _vim_commands(command, commands, operands, readonly=readonly)


def _vim_commands(command: Command, commands: list[Field], operands: list[Field], *, readonly: bool) -> None:
    writes = False
    for item in commands:
        for part in (item.text or "?").split("|"):
            words = part.strip().lstrip(":%0123456789,$").split()
            verb = words[0] if words else ""
            if verb.rstrip("!") in (
                "w",
                "write",
                "wq",
                "x",
                "wa",
                "wqa",
                "xa",
                "wall",
                "up",
                "update",
                "saveas",
                "sav",
                "exit",
            ):
                if len(words) > 1 and not words[1].startswith("!"):
                    command.write(field(words[-1].lstrip(">")), via=f"{command.name} :w")
                    writes = writes or verb.startswith(("sav",))
                else:
                    writes = True
            elif (
                "!" in part.partition("s/")[0]
                and verb.startswith("!")
                or verb.startswith(
                    (
                        "source",
                        "so",
                        "lua",
                        "py",
                        "ruby",
                        "perl",
                        "exe",
                        "call",
                        "r!",
                        "norm",
                        "g/",
                        "bufdo",
                        "argdo",
                        "windo",
                    )
                )
            ):
                if verb.startswith(("g/", "norm")):
                    continue
                command.opaque("the editor runs a script or a command")
                writes = True
    if readonly and not writes:
        return
    if not commands:
        command.opaque("an editor is opened")
    if writes or not commands:
        for operand in operands:
            if operand.text != "-":
                command.write(operand)
