"""The header block of an artifact: status, time of lock, hash.

Format and hash are the ones of the public recursive-mode tools, narrowed where they
can be tricked: only the header block counts, a value stands on its own line, and a
lock has exactly one `LockHash` line (any other would be text that no hash covers).

A text may be as large as the readers allow and made to cost time. So whatever runs over
all of it is one of the interpreter's own loops, and lines are taken one by one only in
the bounded beginning where header and fields are looked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import IncrementalNewlineDecoder
from typing import Literal

HEADER_LINES = 200
HEADER_CHARS = 64 * 1024
FIELD_LINES = 5_000
FIELD_CHARS = 256 * 1024
HASH_MENTIONS = 1_000
_HASH_FIELD = "LockHash:"
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_HEX = frozenset("0123456789abcdefABCDEF")
_BLANK = " \t"
_QUOTES = '`"'
_HASH_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Seal:
    """What the text alone says about its lock.

    `status`: LOCKED means header and hash agree; the lock receipt is not looked at.
    `lacks` says what is missing for LOCKED when the header claims it. `digest` is the
    lock hash of the text; None when the header does not claim LOCKED, or when the text
    says `LockHash:` more than `HASH_MENTIONS` times.
    """

    status: Literal["DRAFT", "STALE_LOCK", "LOCKED"]
    lacks: str = ""
    digest: str | None = None
    locked_at: str | None = None


def unify_newlines(text: str) -> str:
    """CRLF and lone CR as LF."""
    return IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)


def lock_hash(text: str) -> str:
    """SHA-256 (lower-case hex) of the text without its `LockHash:` lines, newlines unified."""
    return _digest(unify_newlines(text))


def opening(text: str) -> str:
    """The part of a document that fields and phrases are looked for in, newlines unified."""
    return unify_newlines(text[:FIELD_CHARS])


def field_lines(text: str) -> list[str]:
    """The lines that fields are looked for in. Documents that people write have far fewer."""
    return opening(text).split("\n", FIELD_LINES)[:FIELD_LINES]


def header_lines(text: str) -> list[str]:
    """Lines of the header block: up to the first code fence or heading below the title.

    The block is bounded in lines and characters; a line that is cut by the bound is left out.
    """
    block: list[str] = []
    lines = unify_newlines(text[:HEADER_CHARS]).split("\n", HEADER_LINES)
    if len(text) > HEADER_CHARS:
        del lines[-1]
    for line in lines[:HEADER_LINES]:
        bare = line.lstrip(_BLANK)
        if bare.startswith(("```", "~~~", "##")):
            break
        block.append(line)
    return block


def header_word(text: str, name: str) -> str | None:
    """The first well-formed one-word value of field *name* in the header block."""
    return _word(header_lines(text), name)


def claims_lock(text: str) -> bool:
    """Whether any `Status` line of the header block says LOCKED, well formed or first or not.

    Other readers of the same documents take any white space, a line break too, for the
    blank before the value.
    """
    if "Status" not in text:
        return False  # one search instead of two hundred lines: every written text comes through here
    lines = header_lines(text)
    for index, line in enumerate(lines):
        value = _field(line.lstrip("-*+> \t"), "Status")
        if value is not None:
            said = (value if value.strip() else " ".join(lines[index + 1 :])).lstrip()
            if said.lstrip("`\"'*_\ufeff").lstrip()[:6].upper() == "LOCKED":
                return True
    return False


def read_seal(text: str) -> Seal:
    """Judge the lock of one artifact's text."""
    header = header_lines(text)
    if _word(header, "Status") != "LOCKED":
        return Seal("DRAFT")
    locked_at = _locked_at(header)
    if text.count(_HASH_FIELD) > HASH_MENTIONS:
        return Seal("STALE_LOCK", "it says `LockHash` too often to be judged", None, locked_at)
    unified = unify_newlines(text)
    digest = _digest(unified)
    lacks = _lacks(header, unified, digest)
    return Seal("STALE_LOCK" if lacks else "LOCKED", lacks, digest, locked_at)


def _lacks(header: list[str], unified: str, digest: str) -> str:
    """What keeps a claimed lock from being one; "" when nothing does."""
    stored = _stored_hash(header)
    if _locked_at(header) is None:
        return "its `LockedAt` line is missing"
    if stored is None:
        return "its `LockHash` line is missing"
    if stored.lower() != digest:
        return "its text differs from its `LockHash`"
    if sum(1 for _ in _hash_lines(unified)) > 1:
        return "it carries more than one `LockHash` line"
    return ""


def text_field(text: str, name: str) -> str | None:
    """Value of the first line `name: value` of the document's opening; a list bullet may precede it.

    One pair of matching quotes or backticks is removed. None when there is no such line.
    """
    if name not in text:
        return None
    for line in field_lines(text):
        bare = line.lstrip(_BLANK)
        if bare[:1] in ("-", "*") and bare[1:2] in (" ", "\t"):
            bare = bare[1:].lstrip(_BLANK)
        if bare.startswith(name):
            rest = bare[len(name) :].lstrip(_BLANK)
            if rest.startswith(":"):
                return _unquote_pair(rest[1:].strip())
    return None


def _digest(unified: str) -> str:
    """The lock hash of a text whose newlines are unified."""
    kept, end = [], 0
    for start, stop in _hash_lines(unified):
        kept.append(unified[end:start])
        end = stop
    body = "".join([*kept, unified[end:]])
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def _hash_lines(unified: str) -> Iterator[tuple[int, int]]:
    """Where each `LockHash:` line begins and ends, its newline included.

    After a mention the search goes on in the next line, so that no character is looked
    at twice however often a line says the word.
    """
    end = 0
    while (found := unified.find(_HASH_FIELD, end)) >= 0:
        start = unified.rfind("\n", end, found) + 1 or end
        newline = unified.find("\n", found)
        end = len(unified) if newline < 0 else newline + 1
        if not unified[start:found].strip(_BLANK):
            yield start, end


def _word(header: list[str], name: str) -> str | None:
    for line in header:
        value = _field(line, name)
        if value is not None:
            word = _unquote_ends(value)
            if word and all(char in _WORD for char in word):
                return word
    return None


def _locked_at(header: list[str]) -> str | None:
    for line in header:
        value = _field(line, "LockedAt")
        if value is not None:
            bare = _unquote_ends(value)
            if bare and not any(char in _QUOTES for char in bare):
                return bare
    return None


def _stored_hash(header: list[str]) -> str | None:
    for line in header:
        value = _field(line, "LockHash")
        if value is not None:
            bare = _unquote_ends(value)
            if len(bare) == _HASH_LENGTH and all(char in _HEX for char in bare):
                return bare
    return None


def _field(line: str, name: str) -> str | None:
    bare = line.lstrip(_BLANK)
    if not bare.startswith(name + ":"):
        return None
    return bare[len(name) + 1 :].strip(" \t\f\v")


def _unquote_ends(value: str) -> str:
    if value[:1] and value[0] in _QUOTES:
        value = value[1:]
    if value[-1:] and value[-1] in _QUOTES:
        value = value[:-1]
    return value


def _unquote_pair(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "`\"'":
        return value[1:-1]
    return value
