"""Tokens of JavaScript, Ruby, Perl and PHP, as far as their strings and names go.

The aim is modest: strings must not be taken for code, nor code for strings. What a
lexer can't read (here-documents, odd delimiters) makes `Unlexed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from phasegate.targets.shell.wordlist import words

MAX_PROGRAM = 1 << 16
MAX_TOKENS = 20_000


class Unlexed(Exception):
    """The text can't be cut into tokens with certainty."""


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is name, var, string, shell, regex, number, symbol, or op.

    `value` is the text of a string, None when a part of it is computed.
    """

    kind: str
    text: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Language:
    """What differs between the lexers."""

    name: str
    comments: tuple[str, ...]
    sigils: str = ""
    separator: str = ""
    operators_before_regex: bool = True


JAVASCRIPT = Language("javascript", ("//",), separator="$")
RUBY = Language("ruby", ("#",), sigils="$@", separator="::")
PERL = Language("perl", ("#",), sigils="$@%&", separator="::")
PHP = Language("php", ("//", "#"), sigils="$", separator="\\")

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": ""}
_ENDS_OPERAND = frozenset({"name", "var", "string", "number", "regex", "shell"})
_KEYWORDS = words(
    "return typeof case in of delete void throw new else do if unless while until and or not when print puts push split grep"
    " join map x lt gt le ge eq ne cmp echo yield await"
)


def tokens_of(text: str, language: Language) -> list[Token]:
    """The tokens of *text*; raises `Unlexed`."""
    if len(text) > MAX_PROGRAM:
        raise Unlexed("the program is too long")
    return _Lexer(text, language).run()


class _Lexer:
    def __init__(self, text: str, language: Language) -> None:
        self._text = text
        self._at = 0
        self._language = language
        self._tokens: list[Token] = []

    def run(self) -> list[Token]:
        while self._at < len(self._text):
            self._step()
            if len(self._tokens) > MAX_TOKENS:
                raise Unlexed("the program is too long")
        return self._tokens

    def _step(self) -> None:
        text, at = self._text, self._at
        char = text[at]
        if char == "\n":
            self._add("op", "\n", 1)
        elif char.isspace():
            self._at += 1
        elif text.startswith("/*", at) and self._language.name in ("javascript", "php"):
            end = text.find("*/", at + 2)
            self._at = len(text) if end < 0 else end + 2
        elif any(text.startswith(mark, at) for mark in self._language.comments):
            end = text.find("\n", at)
            self._at = len(text) if end < 0 else end
        elif char in "'\"`":
            self._quoted(char)
        elif char.isdigit():
            self._number()
        else:
            self._word_or_operator(char)

    def _word_or_operator(self, char: str) -> None:
        if char in self._language.sigils and self._variable():
            return
        if char.isalpha() or char == "_" or (char == "$" and self._language.name == "javascript"):
            self._name()
        elif char == "/" and not self._after_operand():
            self._regex("/")
        elif (char == ":" and self._language.name == "ruby" and self._symbol()) or (
            char == "%" and self._language.name == "ruby" and not self._after_operand() and self._percent()
        ):
            return
        else:
            self._operator()

    def _add(self, kind: str, text: str, length: int, value: str | None = None) -> None:
        self._tokens.append(Token(kind, text, value))
        self._at += length

    def _after_operand(self) -> bool:
        last = next((token for token in reversed(self._tokens) if token.text != "\n"), None)
        if last is None:
            return False
        if last.kind == "name":
            return last.text not in _KEYWORDS
        return last.kind in _ENDS_OPERAND or last.text in (")", "]", "}")

    def _number(self) -> None:
        end = self._at
        while end < len(self._text) and (self._text[end].isalnum() or self._text[end] in "._"):
            if self._text.startswith("..", end):
                break
            end += 1
        self._add("number", self._text[self._at : end], end - self._at)

    def _operator(self) -> None:
        text, at = self._text, self._at
        if text.startswith("<<", at) and self._language.name != "javascript" and self._heredoc(at):
            raise Unlexed("a here-document")
        for operator in ("===", "!==", "**=", "<=>", "...", "=>", "->", "?.", "==", "!=", "<=", ">=", "&&", "||", "=~", "!~",
                         "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "++", "--", "<<", ">>", "::", "??", "**"):  # fmt: skip
            if text.startswith(operator, at):
                self._add("op", operator, len(operator))
                return
        self._add("op", text[at], 1)

    def _heredoc(self, at: int) -> bool:
        after = self._text[at + 2 : at + 4].lstrip("<~-")
        return bool(after) and (after[0] in "'\"" or after[0].isupper() or after[0] == "_")

    def _variable(self) -> bool:
        text, at = self._text, self._at
        char = text[at]
        if char in "%&" and (
            self._after_operand() or not (text[at + 1 : at + 2].isalpha() or text[at + 1 : at + 2] in "_$+{")
        ):
            return False
        end = at + 1
        while (
            end < len(text)
            and text[end] in "$@#"
            and self._language.name == "perl"
            and text[end + 1 : end + 2] not in ("", ")", ";", " ")
        ):
            end += 1
        if text[end : end + 1] == "{" and self._language.name == "perl":
            self._add("var", text[at:end], end - at)
            return True
        start = end
        while end < len(text) and (text[end].isalnum() or text[end] in "_:"):
            if text[end] == ":" and not text.startswith("::", end):
                break
            end += 2 if text[end] == ":" else 1
        if end == start:
            end = min(len(text), start + 1 + (text[start : start + 1] == "^"))
        self._add("var", text[at:end], end - at)
        return True

    def _name(self) -> None:
        text, at = self._text, self._at
        end = at
        separator = self._language.separator
        while end < len(text):
            if text[end].isalnum() or text[end] == "_" or (separator == "$" and text[end] == "$"):
                end += 1
            elif (
                separator not in ("", "$")
                and text.startswith(separator, end)
                and text[end + len(separator) : end + len(separator) + 1].isalpha()
            ):
                end += len(separator)
            else:
                break
        if (
            self._language.name == "ruby"
            and text[end : end + 1] in ("?", "!")
            and text[end + 1 : end + 2] != "="
        ):
            end += 1
        name = text[at:end]
        if self._language.name == "perl" and self._quote_like(name, end):
            return
        self._add("name", name, end - at)

    def _symbol(self) -> bool:
        rest = self._text[self._at + 1 : self._at + 2]
        if rest.isalpha() or rest == "_":
            end = self._at + 1
            while end < len(self._text) and (self._text[end].isalnum() or self._text[end] in "_?!"):
                end += 1
            self._add("symbol", self._text[self._at : end], end - self._at)
            return True
        return False

    def _quoted(self, quote: str) -> None:
        start = self._at + 1
        body, end = self.until(start, quote, "")
        self._at = end
        if quote == "`" and self._language.name != "javascript":
            self._tokens.append(Token("shell", body, self._plain(body, interpolates=True)))
            return
        interpolates = quote == "`" or (quote == '"' and self._language.name != "javascript")
        value = self._plain(body, interpolates=interpolates, single=quote == "'")
        self._tokens.append(Token("string", body, value))
        if value is None:
            self._inner(body)

    def _inner(self, body: str) -> None:
        """The code inside an interpolated string is code."""
        for opening in ("${", "#{", "@{"):
            at = body.find(opening)
            while at >= 0:
                inside, end = _Lexer(body, self._language).until(at + 2, "}", "{")
                self._tokens.append(Token("op", "("))
                self._tokens.extend(_Lexer(inside, self._language).run())
                self._tokens.append(Token("op", ")"))
                at = body.find(opening, end)

    def until(self, start: int, close: str, nested: str) -> tuple[str, int]:
        """The text up to the unescaped *close*, and the position after it."""
        depth = 0
        index = start
        while index < len(self._text):
            char = self._text[index]
            if char == "\\":
                index += 2
                continue
            if nested and char == nested:
                depth += 1
            elif char == close:
                if depth == 0:
                    return self._text[start:index], index + 1
                depth -= 1
            index += 1
        raise Unlexed("a string without an end")

    def _plain(self, body: str, *, interpolates: bool, single: bool = False) -> str | None:
        if interpolates and any(
            mark in body.replace("\\$", "").replace("\\#", "").replace("\\@", "") for mark in self._marks()
        ):
            return None
        if "\\" not in body:
            return body
        result: list[str] = []
        index = 0
        while index < len(body):
            char = body[index]
            if char == "\\" and index + 1 < len(body):
                following = body[index + 1]
                if following in "xuU" and not (single and self._language.name != "javascript"):
                    return None
                keeps = single and self._language.name != "javascript" and following not in "'\\"
                result.append(
                    "\\" + following
                    if keeps
                    else _SIMPLE.get(following, following)
                    if not single or self._language.name == "javascript"
                    else following
                )
                index += 2
            else:
                result.append(char)
                index += 1
        return "".join(result)

    def _marks(self) -> Sequence[str]:
        return {"javascript": ("${",), "ruby": ("#{", "#@"), "perl": ("$", "@"), "php": ("$",)}[
            self._language.name
        ]

    def _regex(self, close: str) -> None:
        index = self._at + 1
        in_class = False
        while index < len(self._text) and (self._text[index] != close or in_class):
            if self._text[index] == "\n":
                # A division after all.
                self._add("op", "/", 1)
                return
            if self._text[index] == "\\":
                index += 1
            elif self._text[index] == "[":
                in_class = True
            elif self._text[index] == "]":
                in_class = False
            index += 1
        if index >= len(self._text):
            self._add("op", "/", 1)
            return
        index += 1
        while index < len(self._text) and self._text[index].isalpha():
            index += 1
        self._add("regex", self._text[self._at : index], index - self._at)

    def _percent(self) -> bool:
        """Ruby's `%w[...]`, `%q(...)`, `%x{...}` and `%(...)`."""
        at = self._at + 1
        letter = ""
        if self._text[at : at + 1] in ("q", "Q", "w", "W", "i", "I", "x", "r"):
            letter = self._text[at]
            at += 1
        opening = self._text[at : at + 1]
        if opening not in _PAIRS and opening not in ("|", "!", "/"):
            return False
        body, end = self.until(at + 1, _PAIRS.get(opening, opening), opening if opening in _PAIRS else "")
        kind = {"x": "shell", "r": "regex", "w": "words", "W": "words"}.get(letter, "string")
        self._tokens.append(Token(kind, body, self._plain(body, interpolates=letter not in ("q", "w"))))
        self._at = end
        return True

    def _quote_like(self, name: str, end: int) -> bool:
        """Perl's `q qq qw qx m qr s tr y` with any delimiter."""
        if name not in ("q", "qq", "qw", "qx", "m", "qr", "s", "tr", "y"):
            return False
        before = self._tokens[-1].text if self._tokens else ""
        at = end
        while self._text[at : at + 1] == " ":
            at += 1
        opening = self._text[at : at + 1]
        taken = before in ("->", "{") and self._text[end : end + 1] == "}"
        if (
            taken
            or not opening
            or opening.isalnum()
            or opening in ",;)="
            or opening.isspace()
            or self._text.startswith("=>", at)
        ):
            return False
        if at > end and opening == "#":
            return False
        body, stop = self.until(at + 1, _PAIRS.get(opening, opening), opening if opening in _PAIRS else "")
        if name in ("s", "tr", "y"):
            self._substitution(name, body, opening, stop)
            return True
        if name in ("m", "qr"):
            stop = self._flags(stop)
        kind = {"qx": "shell", "m": "regex", "qr": "regex", "qw": "words"}.get(name, "string")
        single = name in ("q", "qw") or opening == "'"
        self._tokens.append(Token(kind, body, self._plain(body, interpolates=not single, single=single)))
        self._at = stop
        return True

    def _substitution(self, name: str, body: str, opening: str, stop: int) -> None:
        if opening in _PAIRS:
            while self._text[stop : stop + 1].isspace():
                stop += 1
            second = self._text[stop : stop + 1]
            replacement, stop = self.until(
                stop + 1, _PAIRS.get(second, second), second if second in _PAIRS else ""
            )
        else:
            replacement, stop = self.until(stop, opening, "")
        end = self._flags(stop)
        flags = self._text[stop:end]
        self._tokens.append(Token("regex", body))
        self._at = end
        if name == "s" and "e" in flags:
            if flags.count("e") > 1:
                raise Unlexed("a replacement that is run twice")
            self._tokens.append(Token("op", "("))
            self._tokens.extend(_Lexer(replacement, self._language).run())
            self._tokens.append(Token("op", ")"))

    def _flags(self, at: int) -> int:
        while self._text[at : at + 1].isalpha():
            at += 1
        return at
