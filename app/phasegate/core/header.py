"""The header block of an artifact: status, time of lock, hash.

Format and hash are the ones of the public recursive-mode tools, narrowed where they
can be tricked: only the header block counts, a value stands on its own line, and a
lock has exactly one `LockHash` line (any other would be text that no hash covers).
All scanners are linear in the length of the text.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

HEADER_LINES = 200
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
    lock hash of the text, computed only when the header claims LOCKED.
    """

    status: Literal["DRAFT", "STALE_LOCK", "LOCKED"]
    lacks: str = ""
    digest: str | None = None
    locked_at: str | None = None


def unify_newlines(text: str) -> str:
    """CRLF and lone CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lock_hash(text: str) -> str:
    """SHA-256 (lower-case hex) of the text without its `LockHash:` lines, newlines unified."""
    kept = [line for line in unify_newlines(text).split("\n") if not _is_hash_line(line)]
    body = "\n".join(kept)
    # A removed last line takes its own end with it, not the newline before: only then
    # do the bytes agree with a deletion of "the line and its newline".
    if _is_hash_line(unify_newlines(text).rsplit("\n", 1)[-1]) and kept:
        body += "\n"
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def header_lines(text: str) -> list[str]:
    """Lines of the header block: up to the first code fence or heading below the title."""
    block: list[str] = []
    for line in unify_newlines(text).split("\n", HEADER_LINES)[:HEADER_LINES]:
        bare = line.lstrip(_BLANK)
        if bare.startswith(("```", "~~~", "##")):
            break
        block.append(line)
    return block


def header_word(text: str, name: str) -> str | None:
    """The first well-formed one-word value of field *name* in the header block."""
    for line in header_lines(text):
        value = _field(line, name)
        if value is not None:
            word = _unquote_ends(value)
            if word and all(char in _WORD for char in word):
                return word
    return None


def claims_lock(text: str) -> bool:
    """Whether any `Status` line of the header block says LOCKED, well formed or first or not."""
    if "Status" not in text:
        return False  # one search instead of two hundred lines: every written text comes through here
    for line in header_lines(text):
        value = _field(line.lstrip("-*+> \t"), "Status")
        if value is not None and value.strip("`\"'*_ \t").upper().startswith("LOCKED"):
            return True
    return False


def read_seal(text: str) -> Seal:
    """Judge the lock of one artifact's text."""
    if header_word(text, "Status") != "LOCKED":
        return Seal("DRAFT")
    digest = lock_hash(text)
    locked_at = _locked_at(text)
    if locked_at is None:
        return Seal("STALE_LOCK", "its `LockedAt` line is missing", digest)
    lines = [line for line in unify_newlines(text).split("\n") if _is_hash_line(line)]
    stored = _stored_hash(text)
    if stored is None:
        return Seal("STALE_LOCK", "its `LockHash` line is missing", digest, locked_at)
    if stored.lower() != digest:
        return Seal("STALE_LOCK", "its text differs from its `LockHash`", digest, locked_at)
    if len(lines) > 1:
        return Seal("STALE_LOCK", "it carries more than one `LockHash` line", digest, locked_at)
    return Seal("LOCKED", "", digest, locked_at)


def text_field(text: str, name: str) -> str | None:
    """Value of the first line `name: value` anywhere in the text; a list bullet may precede it.

    One pair of matching quotes or backticks is removed. None when there is no such line.
    """
    for line in unify_newlines(text).split("\n"):
        bare = line.lstrip(_BLANK)
        if bare[:1] in ("-", "*") and bare[1:2] in (" ", "\t"):
            bare = bare[1:].lstrip(_BLANK)
        if bare.startswith(name):
            rest = bare[len(name) :].lstrip(_BLANK)
            if rest.startswith(":"):
                return _unquote_pair(rest[1:].strip())
    return None


def _locked_at(text: str) -> str | None:
    for line in header_lines(text):
        value = _field(line, "LockedAt")
        if value is not None:
            bare = _unquote_ends(value)
            if bare and not any(char in _QUOTES for char in bare):
                return bare
    return None


def _stored_hash(text: str) -> str | None:
    for line in header_lines(text):
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


def _is_hash_line(line: str) -> bool:
    return line.lstrip(_BLANK).startswith("LockHash:")
