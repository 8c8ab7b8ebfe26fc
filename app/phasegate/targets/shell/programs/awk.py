"""`awk`: the files and commands that its program writes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from phasegate.targets.shell import ansi
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs.nested import run_text
from phasegate.targets.shell.text import STAND_IN, Field, with_stand_ins
from phasegate.targets.shell.text import field as known_field

if TYPE_CHECKING:
    from phasegate.core.call import TargetOp
    from phasegate.targets.shell.command import Command

_AWK = Grammar.of(
    "-F|--field-separator: -v|--assign: -f|--file: -e|--source: -i|--include: -l|--load: -b -c -C -d|--dump-variables?"
    " -D? -E|--exec: -g -h -I -k -L? -M -n -N -o|--pretty-print? -O -p|--profile? -P -r -s -S|--sandbox -t -V -W:"
    " --characters-as-bytes --traditional --copyright --debug? --gen-pot --help --trace --csv --lint? --bignum"
    " --non-decimal-data --use-lc-numeric --optimize --posix --re-interval --no-optimize --lint-old --version",
    permute=False,
)


MAX_PROGRAM = 1 << 15

_REPORTS = {"o": "awkprof.out", "p": "awkprof.out", "d": "awkvars.out"}
"""Options that write a report, and the name that it gets."""


@dataclass(slots=True)
class Effects:
    """What an awk program does besides printing; None stands for what is not known."""

    writes: list[tuple[str | None, bool]] = field(default_factory=list)
    runs: list[str | None] = field(default_factory=list)
    understood: bool = True


def awk(command: Command) -> None:
    """Report the files of `-i inplace` and of the program's redirections."""
    parsed = command.parse(_AWK)
    if parsed.has("help", "h", "V", "version"):
        return
    operands = list(parsed.operands)
    programs = [*parsed.values("e"), *(_from_file(command, value) for value in parsed.values("f", "E"))]
    if not programs and operands:
        programs = [operands.pop(0)]
    for name, default in _REPORTS.items():
        if parsed.has(name):
            command.write(parsed.last(name) or known_field(default), via=f"awk -{name}")
    libraries = [value.text for value in parsed.values("i", "l")]
    if any(name not in ("inplace", "inplace.awk") for name in libraries):
        command.opaque("the library that awk loads is not known")
    values = dict(_assigned(value) for value in parsed.values("v"))
    for program in programs:
        _run_program(command, program, values)
    if "inplace" in libraries or "inplace.awk" in libraries:
        _in_place(command, operands, values)


def _from_file(command: Command, value: Field) -> Field:
    text = command.text_in(value)
    if value.text in ("-", "/dev/stdin"):
        text = command.state.stdin
    return Field((None,), value.typed) if text is None else known_field(text, value.typed)


def _assigned(value: Field) -> tuple[str, str | None]:
    name, _, _ = value.prefix.partition("=")
    text = value.cut(len(name) + 1).text
    return name, None if text is None else ansi.unescape(text)


def _in_place(command: Command, operands: Sequence[Field], values: dict[str, str | None]) -> None:
    suffix = values.get("inplace::suffix", values.get("INPLACE_SUFFIX", ""))
    for operand in operands:
        if operand.text is not None and "=" in operand.text and operand.text.partition("=")[0].isidentifier():
            continue
        command.write(operand, via="awk -i inplace", follow=False)
        if suffix and operand.text:
            command.write(known_field(operand.text + suffix), via="awk -i inplace")


def _run_program(command: Command, program: Field, values: dict[str, str | None]) -> None:
    text = None if program.many else with_stand_ins(program.value)
    if text is None:
        command.opaque(
            "the program of awk is not known", words=[p for a in command.args for p in a.value if p]
        )
        return
    effects = analyse(text, values)
    if not effects.understood:
        command.opaque("the program of awk can't be read")
    for name, appends in effects.writes:
        op: TargetOp = "append" if appends else "write"
        if name is None or STAND_IN in name:
            command.opaque("awk writes to a file whose name is computed", words=_strings(text))
        else:
            command.write(known_field(name), op, via="awk >")
    for run in effects.runs:
        if run is None or STAND_IN in run:
            command.opaque("awk runs a command that is computed", words=_strings(text))
        else:
            run_text(command, known_field(run), ())
            command.said = False


def _strings(text: str) -> list[str]:
    return [token.text for token in tokens(text) if token.kind == "string"]


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is string, regex, name, number, newline or the operator itself."""

    kind: str
    text: str = ""


_OPERATORS = (
    ">>",
    ">=",
    "<=",
    "==",
    "!=",
    "&&",
    "||",
    "|&",
    "++",
    "--",
    "+=",
    "-=",
    "*=",
    "/=",
    "%=",
    "^=",
    "!~",
)
_OPERANDS = frozenset({"string", "name", "number", ")", "]", "$", "++", "--"})
_KEYWORDS = frozenset({"print", "printf", "return", "in", "getline", "else", "do", "case"})


def tokens(text: str) -> list[Token]:
    """The tokens of an awk program."""
    result: list[Token] = []
    index = 0
    while index < len(text):
        char = text[index]
        if char in " \t\r":
            index += 1
        elif char == "\\" and text[index + 1 : index + 2] == "\n":
            index += 2
        elif char == "#":
            end = text.find("\n", index)
            index = len(text) if end < 0 else end
        else:
            token, index = _token(text, index, result[-1] if result else None)
            result.append(token)
    return result


def _token(text: str, index: int, before: Token | None) -> tuple[Token, int]:
    char = text[index]
    if char == '"':
        return _quoted(text, index)
    operand = before is not None and before.kind in _OPERANDS and before.text not in _KEYWORDS
    if char == "/" and not operand:
        return _regex(text, index)
    if char.isalnum() or char == "_":
        end = index
        while end < len(text) and (text[end].isalnum() or text[end] in "_:."):
            end += 1
        return Token("number" if char.isdigit() else "name", text[index:end]), end
    operator = next((op for op in _OPERATORS if text.startswith(op, index)), char)
    return Token("newline" if operator == "\n" else operator), index + len(operator)


def _quoted(text: str, index: int) -> tuple[Token, int]:
    end = index + 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    return Token("string", ansi.unescape(text[index + 1 : end])), end + 1


def _regex(text: str, index: int) -> tuple[Token, int]:
    end = index + 1
    in_class = False
    while end < len(text) and (text[end] != "/" or in_class) and text[end] != "\n":
        if text[end] == "\\":
            end += 1
        elif text[end] == "[" and not in_class:
            in_class = True
            end += text[end + 1 : end + 2] == "^"
            end += text[end + 1 : end + 2] == "]"
        elif text[end] == "]":
            in_class = False
        end += 1
    return Token("regex"), end + 1


_ENDS = frozenset({";", "newline", "}"})


def analyse(text: str, values: dict[str, str | None]) -> Effects:
    """What the program *text* writes and runs; *values* are its variables given by `-v`."""
    effects = Effects()
    if len(text) > MAX_PROGRAM:
        effects.understood = False
        return effects
    stream = tokens(text)
    assigned = {t.text for t, n in pairwise(stream) if t.kind == "name" and n.kind == "="}
    known = {name: value for name, value in values.items() if name not in assigned}
    known.update(_constants(stream))
    for at, token in enumerate(stream):
        if token.kind == "@":
            effects.understood = False
        elif token.kind == "name" and token.text in ("print", "printf"):
            _print(stream, at + 1, known, effects)
        elif token.kind == "name" and token.text == "system":
            effects.runs.append(_value(_argument(stream, at + 1), known))
        elif token.kind in ("|", "|&") and at + 1 < len(stream) and stream[at + 1].text == "getline":
            effects.runs.append(_value(_before(stream, at), known))
    return effects


def _constants(stream: list[Token]) -> dict[str, str | None]:
    """Variables that are given one literal text and nothing else."""
    found: dict[str, str | None] = {}
    for at, token in enumerate(stream[:-2]):
        changed = stream[at + 1].kind in ("=", "+=", "++", "--")
        if token.kind != "name" or not changed:
            continue
        value = stream[at + 2] if stream[at + 1].kind == "=" else Token("")
        ended = at + 3 >= len(stream) or stream[at + 3].kind in _ENDS or stream[at + 3].kind == ")"
        text = value.text if value.kind == "string" and ended else None
        found[token.text] = text if token.text not in found else None
    return found


def _print(stream: list[Token], at: int, known: dict[str, str | None], effects: Effects) -> None:
    """Find the redirection of a print statement that begins at *at*."""
    depth = 0
    while at < len(stream):
        kind = stream[at].kind
        if depth == 0 and kind in _ENDS:
            return
        if kind in ("(", "[", "{"):
            depth += 1
        elif kind in (")", "]", "}"):
            depth -= 1
        elif depth == 0 and kind in (">", ">>", "|", "|&"):
            rest = _until_end(stream, at + 1)
            value = _value(rest, known)
            if kind in (">", ">>"):
                effects.writes.append((value, kind == ">>"))
            else:
                effects.runs.append(value)
            return
        at += 1


def _until_end(stream: list[Token], at: int) -> list[Token]:
    found: list[Token] = []
    depth = 0
    for token in stream[at:]:
        if depth == 0 and token.kind in _ENDS:
            break
        depth += (token.kind in ("(", "[")) - (token.kind in (")", "]"))
        found.append(token)
    return found


def _argument(stream: list[Token], at: int) -> list[Token]:
    """The tokens between the parentheses that open at *at*."""
    found: list[Token] = []
    depth = 0
    for token in stream[at:]:
        depth += (token.kind == "(") - (token.kind == ")")
        if depth == 0:
            break
        found.append(token)
    return found[1:]


def _before(stream: list[Token], at: int) -> list[Token]:
    """The expression that ends before *at*: a string, a name, or more than can be told."""
    start = at - 1
    while start >= 0 and stream[start].kind in ("string", "name") and stream[start].text not in _KEYWORDS:
        start -= 1
    return stream[start + 1 : at]


def _value(expression: list[Token], known: dict[str, str | None]) -> str | None:
    """The text of a concatenation of strings and known variables, else None."""
    while len(expression) > 1 and expression[0].kind == "(" and expression[-1].kind == ")":
        expression = expression[1:-1]
    pieces: list[str] = []
    for token in expression:
        piece = (
            token.text if token.kind == "string" else known.get(token.text) if token.kind == "name" else None
        )
        if piece is None:
            return None
        pieces.append(piece)
    return "".join(pieces) if pieces else None
