"""The tokens of PowerShell text: words, strings, groups, redirections.

One pass, no backtracking. What the scanner does not understand ends in `Unreadable`,
which makes the command opaque.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MAX_TEXT = 1 << 18
MAX_TOKENS = 20_000
MAX_DEPTH = 40

Kind = Literal["word", "string", "group", "redirect", "operator"]
Piece = tuple[Literal["text", "variable", "unknown"], str]

_CLOSERS = {"(": ")", "{": "}", "[": "]"}
_STATEMENT_ENDS = frozenset(("\n", ";", "&&", "||"))
_BREAKS = frozenset(" \t\r\n;|&(){}<>,'\"`#")


class Unreadable(Exception):
    """The text is not PowerShell that this scanner knows."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    `pieces` are the parts of a word or string: literal text, names of variables, and
    parts that can't be known. `children` are the tokens inside a group (or inside
    `$( )` of a string). `text` is the operator, the opening of a group (`(`, `$(`,
    `@(`, `{`, `@{`, `[`) or the redirection (`2>>`). `glued`: no blank stands before it.
    """

    kind: Kind
    text: str
    pieces: tuple[Piece, ...] = ()
    children: tuple[Token, ...] = ()
    glued: bool = False

    @property
    def literal(self) -> str | None:
        """The value of a word or string without variables, else None."""
        if self.kind not in ("word", "string") or any(kind != "text" for kind, _ in self.pieces):
            return None
        return "".join(text for _, text in self.pieces)


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of *text*; raises `Unreadable`."""
    if len(text) > MAX_TEXT:
        raise Unreadable("it is too long")
    scanner = _Scanner(text)
    found = scanner.until("", 0)
    if scanner.at < len(text):
        raise Unreadable("a bracket closes nothing")
    return found


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0
        self._count = 0

    def until(self, closer: str, depth: int) -> tuple[Token, ...]:
        """Tokens up to *closer* (consumed) or, without one, to the end."""
        if depth > MAX_DEPTH:
            raise Unreadable("it is nested too deeply")
        found: list[Token] = []
        while self.at < len(self._text):
            before = self.at
            self._skip_blanks()
            char = self._peek()
            if closer and char == closer:
                self.at += 1
                return tuple(found)
            if char in (")", "}", "]") and not closer:
                return tuple(found)
            if char:
                found.append(self._token(char, depth, glued=self.at == before))
                self._count += 1
                if self._count > MAX_TOKENS:
                    raise Unreadable("it is too long")
        if closer:
            raise Unreadable(f"a `{closer}` is missing")
        return tuple(found)

    def _peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self._text[at] if at < len(self._text) else ""

    def _skip_blanks(self) -> None:
        while True:
            char = self._peek()
            if char in (" ", "\t", "\r") and char:
                self.at += 1
            elif char == "`" and self._peek(1) in ("\n", "\r"):
                self.at += 2 + (self._text[self.at + 1 : self.at + 3] == "\r\n")
            elif char == "#":
                end = self._text.find("\n", self.at)
                self.at = len(self._text) if end < 0 else end
            elif char == "<" and self._peek(1) == "#":
                end = self._text.find("#>", self.at)
                if end < 0:
                    raise Unreadable("a comment does not end")
                self.at = end + 2
            else:
                return

    def _token(self, char: str, depth: int, *, glued: bool) -> Token:
        operator = self._operator(char)
        if operator:
            self.at += len(operator)
            return Token("operator", operator, glued=glued)
        redirect = self._redirect()
        if redirect:
            self.at += len(redirect)
            return Token("redirect", redirect, glued=glued)
        if char in _CLOSERS:
            self.at += 1
            return Token("group", char, children=self.until(_CLOSERS[char], depth + 1), glued=glued)
        if char in ("$", "@") and self._peek(1) in ("(", "{") and not self._is_braced_name(char):
            opening = char + self._peek(1)
            self.at += 2
            inner = self.until(_CLOSERS[opening[1]], depth + 1)
            return Token("group", opening, children=inner, glued=glued)
        if char in ("'", '"') or (char == "@" and self._peek(1) in ("'", '"')):
            return self._string(depth, glued=glued)
        return self._word(depth, glued=glued)

    def _operator(self, char: str) -> str:
        two = self._text[self.at : self.at + 2]
        if two in ("&&", "||", "::"):
            return two
        return char if char in "\n;|&,=" else ""

    def _redirect(self) -> str:
        at = self.at
        if self._text[at : at + 1] in ("*", *"123456") and self._text[at + 1 : at + 2] == ">":
            at += 1
        if self._text[at : at + 1] != ">":
            return "<" if self._text[at : at + 1] == "<" else ""
        at += 2 if self._text[at : at + 2] == ">>" else 1
        if self._text[at : at + 1] == "&" and self._text[at + 1 : at + 2].isdigit():
            at += 2
        return self._text[self.at : at]

    def _is_braced_name(self, char: str) -> bool:
        return char == "$" and self._peek(1) == "{"

    def _string(self, depth: int, *, glued: bool) -> Token:
        if self._peek() == "@":
            return self._here_string(depth, glued=glued)
        if self._peek() == "'":
            return Token("string", "'", (("text", self._single_quoted()),), glued=glued)
        self.at += 1
        pieces, inner = self._expandable('"', depth)
        return Token("string", '"', pieces, inner, glued)

    def _single_quoted(self) -> str:
        kept: list[str] = []
        at = self.at + 1
        while True:
            end = self._text.find("'", at)
            if end < 0:
                raise Unreadable("a string does not end")
            kept.append(self._text[at:end])
            if self._text[end + 1 : end + 2] != "'":
                self.at = end + 1
                return "'".join(kept)
            at = end + 2

    def _here_string(self, depth: int, *, glued: bool) -> Token:
        quote = self._peek(1)
        start = self._text.find("\n", self.at)
        end = self._text.find(f"\n{quote}@", start) if start >= 0 else -1
        if start < 0 or end < 0 or self._text[self.at + 2 : start].strip():
            raise Unreadable("a string does not end")
        body = self._text[start + 1 : end] if end > start else ""
        self.at = end + 3
        if quote == "'":
            return Token("string", "'", (("text", body),), glued=glued)
        inner = _Scanner(body)
        pieces, children = inner._expandable("", depth + 1)
        return Token("string", '"', pieces, children, glued)

    def _expandable(self, closer: str, depth: int) -> tuple[tuple[Piece, ...], tuple[Token, ...]]:
        """Pieces up to *closer* (consumed), or to the end without one."""
        pieces: list[Piece] = []
        inner: list[Token] = []
        while self.at < len(self._text):
            char = self._peek()
            if closer and char == closer:
                self.at += 1
                if self._peek() != closer:
                    return tuple(pieces), tuple(inner)
                pieces.append(("text", closer))
                self.at += 1
            elif char == "$":
                pieces.append(self._dollar(inner, depth))
            elif char == "`":
                pieces.append(("text", _escaped(self._peek(1))))
                self.at += 2
            else:
                pieces.append(("text", self._run('$`"' if closer else "$`")))
        if closer:
            raise Unreadable("a string does not end")
        return tuple(pieces), tuple(inner)

    def _run(self, stops: str) -> str:
        start = self.at
        while self.at < len(self._text) and self._text[self.at] not in stops:
            self.at += 1
        return self._text[start : self.at]

    def _dollar(self, inner: list[Token], depth: int) -> Piece:
        """A variable or `$( )`; the scanner stands on the dollar sign."""
        following = self._peek(1)
        if following == "(":
            self.at += 2
            children = self.until(")", depth + 1)
            inner.append(Token("group", "$(", children=children))
            return ("unknown", "")
        if following == "{":
            end = self._text.find("}", self.at)
            if end < 0:
                raise Unreadable("a `}` is missing")
            name = self._text[self.at + 2 : end]
            self.at = end + 1
            return ("variable", name.lower())
        self.at += 1
        if following in ("_", "$", "?", "^") and not self._peek(1).isalnum():
            self.at += 1
            return ("variable", following)
        start = self.at
        while self._peek().isalnum() or (self._peek() in ("_", ":") and self._peek()):
            if self._peek() == ":" and not self._peek(1).isalnum():
                break
            self.at += 1
        name = self._text[start : self.at]
        return ("variable", name.lower()) if name else ("text", "$")

    def _word(self, depth: int, *, glued: bool) -> Token:
        pieces: list[Piece] = []
        inner: list[Token] = []
        start = self.at
        while self.at < len(self._text):
            char = self._peek()
            if char == "`" and self._peek(1) in ("\n", "\r"):
                break
            if char == "`":
                pieces.append(("text", self._peek(1)))
                self.at += 2
            elif char == "$":
                pieces.append(self._dollar(inner, depth))
            elif char in ("'", '"') and self.at > start:
                quoted = self._string(depth, glued=True)
                pieces.extend(quoted.pieces)
                inner.extend(quoted.children)
            elif self._ends_word(char, start):
                break
            else:
                pieces.append(("text", char))
                self.at += 1
        if self.at == start:
            raise Unreadable(f"`{self._peek()}` is not understood")
        return Token("word", self._text[start : self.at], _joined(pieces), tuple(inner), glued)

    def _ends_word(self, char: str, start: int) -> bool:
        if char == "#":
            return False
        if char in ("=", "["):
            return self._text[start] == "$"
        if char == "]":
            return True
        if char == ":" and self._peek(1) == ":":
            return self._text[start] == "$"
        return char in _BREAKS


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    """*pieces* with neighbouring literal texts put together."""
    joined: list[Piece] = []
    run: list[str] = []
    for kind, text in pieces:
        if kind == "text":
            run.append(text)
            continue
        if run:
            joined.append(("text", "".join(run)))
            run = []
        joined.append((kind, text))
    if run:
        joined.append(("text", "".join(run)))
    return tuple(joined)


def _escaped(char: str) -> str:
    return {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}.get(
        char, char
    )


def split(tokens: Sequence[Token], ends: frozenset[str]) -> list[list[Token]]:
    """*tokens* between the operators *ends*, empty parts left out."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "operator" and token.text in ends:
            found.append([])
        else:
            found[-1].append(token)
    return [part for part in found if part]


def statements(tokens: Sequence[Token]) -> list[list[Token]]:
    """The statements of a block. An `&` behind a command ends it; elsewhere it calls what follows."""
    found: list[list[Token]] = []
    for part in split(tokens, _STATEMENT_ENDS):
        found.append([])
        for token in part:
            last = found[-1][-1] if found[-1] else None
            calls = last is None or (last.kind == "operator" and last.text in ("|", "="))
            if token.kind == "operator" and token.text == "&" and not calls:
                found.append([])
            else:
                found[-1].append(token)
    return [part for part in found if part]
