"""Databases: their own files, and outputs that their statements name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs.nested import run_text
from phasegate.targets.shell.text import Field, field

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
    if not operands[1:] and not parsed.has("cmd"):
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
    for part in lowered:
        if part.startswith("vacuum") and " into" in part:
            _vacuum_into(command, text)
    if (
        "writefile(" in text.lower()
        or "attach" in text.lower()
        or "edit(" in text.lower()
        or "into outfile" in text.lower()
    ):
        command.opaque("a statement writes another file")
    return reads and all(not part or part.startswith(_SQL_READS) or _only_dots(part) for part in lowered)


def _vacuum_into(command: Command, text: str) -> None:
    """`VACUUM INTO 'FILE'` writes a copy of the database."""
    after = text[text.lower().rindex(" into") + len(" into") :].strip()
    name = after[1:].partition(after[0])[0] if after[:1] in ("'", '"') else ""
    if name:
        command.write(field(name), via="sqlite3 VACUUM INTO")
    else:
        command.opaque("a statement writes another file")


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
        if arg.prefix.startswith(("--tee=", "--result-file=", "-r")) and arg.prefix[2:]:
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
