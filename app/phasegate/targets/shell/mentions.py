"""Words of a part that was not understood, as far as any could name a path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import place
from phasegate.targets.shell.limits import MAX_WORDS

if TYPE_CHECKING:
    from phasegate.core.ports import FileView
    from phasegate.targets.shell.state import State
    from phasegate.targets.shell.text import Field

_BREAKS = str.maketrans(dict.fromkeys("'\"`;|&<>(){}[]$,=:\\#*?!@\t\r\n", " "))
_SEPARATING = frozenset(" \t\n'\"();|&<>`")
_MAX_NAME = 1024


def candidates(word: str) -> Iterator[str]:
    """What *word* could name: itself, the value of an option, the parts of a list.

    A word with blanks in it is text; the path-like tokens of it count.
    """
    if not word or len(word) > 1 << 16:
        return
    if "\\" in word:
        # Programs that know Windows take it for a separator.
        yield from candidates(word.replace("\\", "/"))
    if _SEPARATING & set(word):
        yield from (token for token in tokens(word) if "/" in token or "." in token)
    if any(char in word for char in " \t\n"):
        return
    if not word.startswith("-"):
        yield word
    elif word[2:] and not word.startswith("--"):
        yield word[2:]
    for separator in "=:,@":
        if separator in word:
            yield from (piece for piece in word.split(separator) if piece and not piece.startswith("-"))
            tail = word.partition(separator)[2]
            yield from (piece for other in "=:," if other in tail for piece in tail.split(other) if piece)


def pieces_of(fields: Iterable[Field]) -> Iterator[str]:
    """The known pieces of arguments. What follows an unknown piece may be relative to any place."""
    for field in fields:
        for position, piece in enumerate(field.value):
            if not piece:
                continue
            yield piece
            if position and piece.startswith("/"):
                yield piece.lstrip("/")


def tokens(text: str) -> list[str]:
    """*text* cut at blanks, quotes and operators."""
    return text.translate(_BREAKS).split()


def mentioned(view: FileView, state: State, words: Iterable[str], control: str) -> tuple[str, ...]:
    """The candidates among *words*, resolved from every directory the command could be in.

    At most `MAX_WORDS` are resolved; those that name the directory *control* come first.
    """
    found = dict.fromkeys(
        c for word in words for c in candidates(word) if len(c) <= _MAX_NAME and "\0" not in c
    )
    ordered = sorted(found, key=lambda candidate: control not in candidate)
    result: dict[str, None] = {}
    for candidate in ordered[:MAX_WORDS]:
        for cwd in (state.cwd, *state.others):
            here = state
            if cwd != state.cwd:
                here = state.copy()
                here.cwd = cwd
            result[place(view, here, candidate).path] = None
    return tuple(result)
