"""Values that may be known in part: the text of a word, a variable or an output.

A `Text` is a sequence of known pieces and `None` for what can't be known. It is kept
normal: no empty piece, no two known or two unknown pieces side by side. So a text is
known exactly when it has at most one piece and that one is not None.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from phasegate.targets.shell.limits import MAX_TEXT

Text = tuple[str | None, ...]

EMPTY: Text = ()
UNKNOWN: Text = (None,)


STAND_IN = "__unknown_part__"
"""What stands for the unknown parts of a program text; whatever it gets into is unknown there."""


def literal(text: str) -> Text:
    """The value *text*: unknown where a stand-in is, and when it is too long to be kept."""
    if len(text) > MAX_TEXT:
        return (text[:1024], None)
    if STAND_IN in text:
        pieces = text.split(STAND_IN)
        return join([(pieces[0],), *(part for piece in pieces[1:] for part in (UNKNOWN, (piece,)))])
    return (text,) if text else ()


def join(parts: Iterable[Text]) -> Text:
    """The texts one after another."""
    pieces: list[str | None] = []
    size = 0
    for part in parts:
        for piece in part:
            size += len(piece or "")
            if pieces and piece is None and pieces[-1] is None:
                continue
            if piece == "":
                continue
            if size > MAX_TEXT:
                return (*pieces, None) if not pieces or pieces[-1] is not None else tuple(pieces)
            last = pieces[-1] if pieces else None
            if piece is not None and last is not None:
                pieces[-1] = last + piece
            else:
                pieces.append(piece)
    return tuple(pieces)


def plain(text: Text) -> str | None:
    """The whole text, or None when a part of it is unknown."""
    if not text:
        return ""
    return text[0] if len(text) == 1 else None


def prefix(text: Text) -> str:
    """The known beginning."""
    return (text[0] or "") if text else ""


def without_first(text: Text, count: int) -> Text:
    """*text* without the first *count* characters of its known beginning."""
    head = prefix(text)[count:]
    rest = text[1:]
    return (head, *rest) if head else rest


def with_stand_ins(text: Text) -> str | None:
    """*text* with its unknown parts replaced; None when nothing of it is known."""
    if not any(piece and piece.strip() for piece in text):
        return None if text else ""
    return "".join(STAND_IN if piece is None else piece for piece in text)


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a command after expansion.

    `typed` is its source. `many`: it may stand for any number of arguments.
    `quoted`: a part of it was quoted, so it is data rather than a name by intent.
    """

    value: Text
    typed: str
    many: bool = False
    quoted: bool = False

    @property
    def text(self) -> str | None:
        """The argument, or None when a part of it is unknown."""
        value = self.value
        if not value:
            return ""
        return value[0] if len(value) == 1 else None

    @property
    def prefix(self) -> str:
        return prefix(self.value)

    def cut(self, count: int) -> Field:
        """This argument without its first *count* characters (an attached option value)."""
        return Field(without_first(self.value, count), self.typed, self.many, self.quoted)


def field(text: str, typed: str | None = None) -> Field:
    """A known argument."""
    spelled = text if typed is None else typed
    return Field(literal(text), spelled.replace(STAND_IN, "...") if STAND_IN in spelled else spelled)


def number_of(value: Field | None, default: int) -> int:
    """The number that *value* spells, or *default*."""
    text = value.text if value is not None else None
    return int(text) if text is not None and text.isascii() and text.isdigit() and not text[9:] else default


def replaced(word: Field, mark: str, item: Field) -> Field:
    """*word* with *item* in every place of *mark*."""
    text = word.text
    if text is None or not mark or mark not in text:
        return word
    if text == mark:
        return item
    pieces = text.split(mark)
    parts = [literal(pieces[0]), *(part for piece in pieces[1:] for part in (item.value, literal(piece)))]
    return Field(join(parts), word.typed, item.many)


def unknown_field(typed: str, *, many: bool = False) -> Field:
    """An argument of which nothing is known."""
    return Field(UNKNOWN, typed, many)
