"""A program cut into tokens: what it defines, and what its variables hold."""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.targets.shell.languages.script_names import Names
from phasegate.targets.shell.languages.script_tokens import Language, Token

_END = frozenset({";", "\n", "}"})
_MODIFIERS = frozenset(
    {"if", "unless", "or", "and", "for", "foreach", "while", "until", "do", "||", "&&", "?"}
)
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")


class Program:
    """The tokens of one program, and what is known about its names."""

    def __init__(
        self, stream: list[Token], language: Language, names: Names, argv: Sequence[str | None]
    ) -> None:
        self._stream = stream
        self._language = language
        self._names = names
        self._argv = argv
        self._local = self._defined()
        self._values = self._assigned()

    def _at(self, index: int) -> Token:
        return self._stream[index] if 0 <= index < len(self._stream) else Token("op", "")

    def _defined(self) -> set[str]:
        """Names of functions and local variables that the program itself defines."""
        found: set[str] = set()
        bars = False
        for at, token in enumerate(self._stream):
            following, before = self._at(at + 1).text, self._at(at - 1).text
            bars = (
                not bars if token.text == "|" and self._language.name == "ruby" else bars
            ) and token.text != "\n"
            if token.kind != "name":
                continue
            if (
                before in ("function", "def", "sub", "class", "const", "let", "var", "async function")
                or bars
                or (following == "=" and before != ".")
                or (self._language.name == "javascript" and following == "=>")
                or (
                    self._language.name == "ruby"
                    and before in ("*", "&")
                    and self._at(at - 2).text in ("(", ",")
                )
            ):
                found.add(token.text)
        return found | self._parameters()

    def _parameters(self) -> set[str]:
        """Parameters between parentheses: of JavaScript functions, and of Ruby methods."""
        found: set[str] = set()
        for at, token in enumerate(self._stream):
            arrow = (
                token.text == ")"
                and self._at(at + 1).text in ("=>", "{")
                and self._language.name == "javascript"
            )
            method = token.text == ")" and self._language.name == "ruby"
            if not arrow and not method:
                continue
            start = at
            while start > 0 and self._at(start).text != "(":
                start -= 1
            if method and self._at(start - 2).text != "def":
                continue
            found |= {t.text for t in self._stream[start:at] if t.kind == "name"}
        return found - self._names.refused - set(self._names.writes)

    def _assigned(self) -> dict[str, str | None]:
        """Variables that hold one known text; None for those with more."""
        values: dict[str, str | None] = {}
        for at, token in enumerate(self._stream):
            if token.kind not in ("name", "var") or self._at(at - 1).text == ".":
                continue
            if self._at(at + 1).text == "=":
                value = self._value(self._expression(at + 2), values)
                values[token.text] = (
                    value if token.text not in values or values[token.text] == value else None
                )
            elif self._at(at + 1).text in ("+=", ".=", "<<", "=~", "++", "*="):
                values[token.text] = None
        return values

    def _expression(self, at: int) -> list[Token]:
        """The tokens of an expression that begins at *at*."""
        found: list[Token] = []
        depth = 0
        while at < len(self._stream):
            token = self._stream[at]
            if depth == 0 and token.text in (";", "\n", ",", ")", "}", "]") and token.kind == "op":
                break
            depth += token.kind == "op" and token.text in ("(", "[", "{")
            depth -= token.kind == "op" and token.text in (")", "]", "}")
            found.append(token)
            at += 1
        return found

    def _value(self, expression: list[Token], values: dict[str, str | None]) -> str | None:
        """The text of a concatenation of strings and known variables, else None."""
        while len(expression) > 1 and expression[0].text == "(" and expression[-1].text == ")":
            expression = expression[1:-1]
        if not expression:
            return None
        joined = self._joined_path(expression, values)
        if joined is not None:
            return joined
        argument = self._from_argv(expression)
        if argument is not None:
            return argument
        plus = "." if self._language.name in ("perl", "php") else "+"
        pieces: list[str] = []
        for position, token in enumerate(expression):
            if position % 2:
                if token.text != plus:
                    return None
                continue
            piece = (
                token.value
                if token.kind == "string"
                else values.get(token.text)
                if token.kind in ("name", "var")
                else None
            )
            if piece is None:
                return None
            pieces.append(piece)
        return "".join(pieces) if len(expression) % 2 else None

    def _joined_path(self, expression: list[Token], values: dict[str, str | None]) -> str | None:
        """`path.join('a', 'b')` and `File.join(...)`."""
        texts = [token.text for token in expression[:4]]
        if texts not in (
            ["path", ".", "join", "("],
            ["path", ".", "resolve", "("],
            ["File", ".", "join", "("],
        ):
            return None
        pieces = [self._value(part, values) for part in split(expression[4:-1])]
        known = [piece for piece in pieces if piece is not None]
        return "/".join(known) if len(known) == len(pieces) else None

    def _from_argv(self, expression: list[Token]) -> str | None:
        """`process.argv[1]`, `ARGV[0]`, `$ARGV[0]`, `$argv[1]`."""
        texts = "".join(token.text for token in expression)
        for start, first in (("process.argv[", 0), ("ARGV[", 1), ("$ARGV[", 1), ("$argv[", 0)):
            if texts.startswith(start) and texts.endswith("]") and texts[len(start) : -1].isdigit():
                index = int(texts[len(start) : -1]) + first
                return self._argv[index] if 0 < index < len(self._argv) else None
        return None

    def _arguments(self, at: int) -> list[list[Token]]:
        """The arguments of the call whose name stands at *at*."""
        if self._at(at + 1).text == "(":
            return split(inside(self._stream, at + 1))
        found: list[Token] = []
        depth = 0
        for token in self._stream[at + 1 :]:
            if (
                depth == 0
                and token.kind in ("op", "name")
                and (token.text in _END or token.text in _MODIFIERS or token.text == ")")
            ):
                break
            depth += token.kind == "op" and token.text in ("(", "[", "{")
            depth -= token.kind == "op" and token.text in (")", "]", "}")
            found.append(token)
        return split(found)


def inside(stream: list[Token], opening: int) -> list[Token]:
    """The tokens between the parenthesis at *opening* and its partner."""
    depth = 0
    for at in range(opening, len(stream)):
        token = stream[at]
        if token.kind == "op" and token.text in ("(", "[", "{"):
            depth += 1
        elif token.kind == "op" and token.text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return stream[opening + 1 : at]
    return stream[opening + 1 :]


def split(stream: list[Token]) -> list[list[Token]]:
    """*stream* cut at commas outside of brackets, line ends removed."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in stream:
        if token.kind == "op" and token.text == "\n":
            continue
        if token.kind == "op" and token.text in ("(", "[", "{"):
            depth += 1
        elif token.kind == "op" and token.text in (")", "]", "}"):
            depth -= 1
        if token.kind == "op" and token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [] if parts == [[]] else parts
