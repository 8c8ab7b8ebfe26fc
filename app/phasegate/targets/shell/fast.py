"""Commands of plain words, parsed without the parser.

Only text that can't be anything but one simple command of literal words is taken: no
operator, no expansion by `$` or a backquote, no backslash, no reserved word. What the
words may still expand to (`~`, `{a,b}`, `*`) is left to the expansion, as usual.
"""

from __future__ import annotations

import re
from typing import Any

from phasegate.targets.shell.limits import MAX_FIELDS, TooMuch
from phasegate.targets.shell.wordlist import words

_BARE = re.compile(r"[A-Za-z0-9_./,:@%+\-=~*?\[\]{}^]+")
_RESERVED = words(
    "if then elif else fi for while until do done case esac select function time coproc in { } [[ ]] ! let declare"
    " local export readonly typeset nameref"
)
_DOUBLE_STOP = frozenset('$`\\"!')

Tree = dict[str, Any]


def parse_plain(text: str) -> Tree | None:
    """The tree of *text* in the parser's form, or None when the parser has to look at it.

    Raises `TooMuch` when there are more words than are looked at.
    """
    if not text.isascii():
        # The parser's positions count bytes.
        return None
    words: list[Tree] = []
    at = 0
    size = len(text)
    while at < size:
        if text[at] in " \t":
            at += 1
            continue
        parts, end = _word(text, at)
        if not parts:
            return None
        if len(words) >= MAX_FIELDS:
            raise TooMuch("the command has too many arguments")
        words.append({"Pos": {"Offset": at}, "End": {"Offset": end}, "Parts": parts})
        at = end
    if not words or not _is_command(words[0]["Parts"]):
        return None
    whole = {"Pos": {"Offset": _first(words)}, "End": {"Offset": words[-1]["End"]["Offset"]}}
    call = {"Type": "CallExpr", **whole, "Args": words}
    return {"Type": "File", **whole, "Stmts": [{**whole, "Cmd": call}]}


def _first(words: list[Tree]) -> int:
    return int(words[0]["Pos"]["Offset"])


def _is_command(parts: list[Tree]) -> bool:
    """Whether a first word is a program's name and nothing that means more to the shell."""
    value = str(parts[0]["Value"]) if parts[0]["Type"] == "Lit" else ""
    if "=" in value or ("[" in value and value != "["):
        return False
    return len(parts) > 1 or value not in _RESERVED


def _word(text: str, at: int) -> tuple[list[Tree], int]:
    """The parts of the word that begins at *at*, none when it isn't plain; and its end."""
    parts: list[Tree] = []
    size = len(text)
    while at < size and text[at] not in " \t":
        char = text[at]
        end = at
        if char == "'":
            end = text.find("'", at + 1)
            if end < 0 or "\n" in text[at:end]:
                return [], at
            parts.append({"Type": "SglQuoted", "Value": text[at + 1 : end]})
            end += 1
        elif char == '"':
            end = text.find('"', at + 1)
            if end < 0 or _DOUBLE_STOP & set(text[at + 1 : end]) or "\n" in text[at:end]:
                return [], at
            inner = [{"Type": "Lit", "Value": text[at + 1 : end]}] if end > at + 1 else []
            parts.append({"Type": "DblQuoted", "Parts": inner})
            end += 1
        else:
            bare = _BARE.match(text, at)
            if bare is None:
                return [], at
            end = bare.end()
            parts.append({"Type": "Lit", "Value": text[at:end]})
        at = end
    return parts, at
