"""`sed`: the files it edits in place, and those that its script writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from phasegate.targets.shell.mentions import pieces_of
from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.programs.nested import run_text
from phasegate.targets.shell.text import STAND_IN, Field, join, literal, with_stand_ins
from phasegate.targets.shell.text import field as known_field

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_SED = Grammar.of(
    "-n|--quiet|--silent --debug -e|--expression: -f|--file: --follow-symlinks -i|--in-place? -I? -l|--line-length:"
    " -E|-r|--regexp-extended -s|--separate --sandbox -u|--unbuffered --posix -z|--null-data --help --version"
)


@dataclass(slots=True)
class Script:
    """What a sed script does besides editing: files it writes, shell commands it runs.

    `runs` holds None for a command that is only known at run time.
    """

    writes: list[str] = field(default_factory=list)
    runs: list[str | None] = field(default_factory=list)
    understood: bool = True


def sed(command: Command) -> None:
    """Report the files of `-i` and of the script's `w` and `e` commands."""
    parsed = command.parse(_SED)
    if parsed.has("help", "version"):
        return
    scripts, operands = _scripts(parsed)
    if "f" in {name for name, _ in parsed.options} and not _reads_known_script(command, parsed, scripts):
        command.opaque("the script of sed is in a file")
    texts = [None if script.many else with_stand_ins(script.value) for script in scripts]
    if None in texts:
        command.opaque("the script of sed is not known", words=pieces_of(scripts))
    known = [text for text in texts if text is not None]
    if not parsed.has("sandbox"):
        _script_effects(command, _parsed("\n".join(known)))
    if parsed.has("i", "I"):
        _in_place(command, parsed, operands)


def _scripts(parsed: Parsed) -> tuple[list[Field], list[Field]]:
    """The script fragments and the file operands."""
    scripts = parsed.values("e")
    operands = list(parsed.operands)
    if parsed.has("i") and len(operands) > 1 and operands[0].text == "":
        # `sed -i '' ...` is how BSD spells "no backup"; for GNU it is an empty script.
        operands.pop(0)
    if not scripts and not parsed.has("f") and operands:
        scripts = [operands.pop(0)]
    return scripts, operands


def _reads_known_script(command: Command, parsed: Parsed, scripts: list[Field]) -> bool:
    for value in parsed.values("f"):
        text = command.text_in(value)
        if value.text in ("-", "/dev/stdin"):
            text = command.state.stdin
        if text is None:
            return False
        scripts.append(known_field(text, value.typed))
    return True


def _in_place(command: Command, parsed: Parsed, operands: list[Field]) -> None:
    follow = parsed.has("follow-symlinks")
    suffix = parsed.last("i", "I")
    for operand in operands:
        command.write(operand, via="sed -i", follow=follow)
        if suffix is not None:
            command.write(_backup_name(operand, suffix), via="sed -i", follow=False)


def _backup_name(operand: Field, suffix: Field) -> Field:
    """The name of the backup: a `*` in the suffix stands for the file's base name."""
    text, ending = operand.text, suffix.text
    if text is None or ending is None:
        return Field(join((operand.value, suffix.value)), operand.typed)
    if "*" not in ending:
        return Field(literal(text + ending), operand.typed)
    directory, slash, base = text.rpartition("/")
    name = ending.replace("*", base)
    return Field(literal(name if "/" in name else directory + slash + name), operand.typed)


def _script_effects(command: Command, script: Script) -> None:
    if not script.understood:
        command.opaque("the script of sed can't be read")
    for name in script.writes:
        command.write(known_field(name), via="sed w")
    for text in script.runs:
        if text is None or STAND_IN in text:
            command.opaque("sed runs what it reads as a command")
        else:
            run_text(command, known_field(text), ())
            command.said = False


def _parsed(text: str) -> Script:
    """The script, in which an unknown part may also stand for a line number (`"${N}p"`)."""
    script = parse_script(text)
    if STAND_IN not in text or script.understood:
        return script
    numbered = parse_script(text.replace(STAND_IN, "1"))
    return script if numbered.writes or numbered.runs else numbered


def parse_script(text: str) -> Script:
    """Read a sed script as far as its effects on files go."""
    script = Script()
    reader = _Reader(text)
    while not reader.at_end():
        if not _command(reader, script):
            script.understood = False
            break
    return script


class _Reader:
    """A position in the script."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def at_end(self) -> bool:
        self.skip(" \t\n;")
        return self.at >= len(self.text)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def next(self) -> str:
        char = self.peek()
        self.at += 1
        return char

    def skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def line(self) -> str:
        """The rest of the line."""
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        found, self.at = self.text[self.at : end], end
        return found

    def until(self, delimiter: str, *, pattern: bool = False) -> bool:
        """Skip a part that ends at an unescaped *delimiter*; false when there is no end.

        In a *pattern* the delimiter may stand between brackets.
        """
        while self.at < len(self.text):
            char = self.next()
            if char == "\\":
                self.at += 1
            elif char == delimiter:
                return True
            elif char == "[" and pattern:
                self._bracket()
        return False

    def _bracket(self) -> None:
        """Skip a bracket expression, if it is one: a lone `[` is taken as it stands."""
        start = self.at
        self.at += self.peek() == "^"
        self.at += self.peek() == "]"
        end = self.text.find("]", self.at)
        line = self.text.find("\n", start)
        while (
            end > 0
            and self.text[end - 1] in ":.="
            and self.text.rfind("[" + self.text[end - 1], start, end) >= 0
        ):
            end = self.text.find("]", end + 1)
        self.at = end + 1 if end >= 0 and not 0 <= line < end else start


def _address(reader: _Reader) -> bool:
    char = reader.peek()
    if char.isdigit():
        reader.skip("0123456789")
        if reader.peek() == "~":
            reader.next()
            reader.skip("0123456789")
        return True
    if char == "$":
        reader.next()
        return True
    if char in ("/", "\\"):
        delimiter = reader.next()
        if delimiter == "\\":
            delimiter = reader.next()
        found = reader.until(delimiter, pattern=True)
        reader.skip("IM")
        return found
    if char in ("+", "~"):
        reader.next()
        reader.skip("0123456789")
        return True
    return False


def _command(reader: _Reader, script: Script) -> bool:
    """Read one command; false when it isn't understood."""
    if _address(reader):
        reader.skip(" \t")
        if reader.peek() == ",":
            reader.next()
            reader.skip(" \t")
            if not _address(reader):
                return False
    reader.skip(" \t!")
    letter = reader.next()
    if letter == "#":
        reader.line()
        return True
    if letter in ("{", "}", ""):
        return letter != ""
    if letter in "=dDgGhHnNpPxzF":
        return True
    if letter in "qQlL":
        reader.skip(" \t")
        reader.skip("0123456789")
        return True
    return _longer_command(letter, reader, script)


def _longer_command(letter: str, reader: _Reader, script: Script) -> bool:
    if letter in "aic":
        while reader.line().endswith("\\"):
            reader.next()
            if reader.at >= len(reader.text):
                break
        return True
    if letter in ":btTv":
        while reader.peek() and reader.peek() not in "\n;}":
            reader.next()
        return True
    if letter in "rRwW":
        reader.skip(" \t")
        name = reader.line()
        if letter in "wW":
            script.writes.append(name)
        return True
    if letter == "e":
        reader.skip(" \t")
        script.runs.append(reader.line() or None)
        return True
    return letter in "sy" and _substitution(letter, reader, script)


def _substitution(letter: str, reader: _Reader, script: Script) -> bool:
    delimiter = reader.next()
    if not delimiter or delimiter in "\n\\":
        return False
    if not reader.until(delimiter, pattern=letter == "s") or not reader.until(delimiter):
        return False
    if letter == "y":
        return True
    while (flag := reader.peek()) and flag in "gpiImMe0123456789w":
        reader.next()
        if flag == "e":
            script.runs.append(None)
        if flag == "w":
            reader.skip(" \t")
            script.writes.append(reader.line())
            return True
    reader.skip(" \t")
    return reader.peek() in ("", "\n", ";", "}", "#")
