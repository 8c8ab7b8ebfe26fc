"""Write and remove the three lock lines of an artifact's header."""

from __future__ import annotations

from phasegate.core.header import header_lines, lock_hash, unify_newlines

_LOCK_FIELDS = ("LockedAt", "LockHash")
_ABOVE_STATUS = ("Phase", "Run")
_BULLETS = "-*+> \t"
_NO_HASH = "0" * 64


def sealed_text(text: str, locked_at: str) -> str:
    """*text* with `Status: LOCKED`, the time and the hash in its header, lines ended by LF.

    The first status line of any form is replaced; without one a line is put below
    `Phase` or `Run`, else at the top. Old time and hash lines of the header go.
    """
    lock = ["Status: `LOCKED`", f"LockedAt: `{locked_at}`", f"LockHash: `{_NO_HASH}`"]
    provisional = _with_status(text, lock)
    return provisional.replace(_NO_HASH, lock_hash(provisional), 1)


def draft_text(text: str) -> str:
    """*text* with `Status: DRAFT` and without time and hash in its header."""
    return _with_status(text, ["Status: `DRAFT`"])


def hash_lines_outside_header(text: str) -> int:
    """How many lines that look like a lock hash stand below the header block."""
    lines = unify_newlines(text).split("\n")
    return sum(line.lstrip(" \t").startswith("LockHash:") for line in lines[len(header_lines(text)) :])


def _with_status(text: str, status: list[str]) -> str:
    text = text.removeprefix("\ufeff")
    lines = unify_newlines(text).split("\n")
    length = len(header_lines(text))
    header = [line for line in lines[:length] if not any(_names(line, field) for field in _LOCK_FIELDS)]
    at = next((index for index, line in enumerate(header) if _names(line, "Status")), None)
    if at is None:
        at = _place(header)
        header[at:at] = status
    else:
        header[at : at + 1] = status
    return "\n".join([*header, *lines[length:]])


def _place(header: list[str]) -> int:
    for field in _ABOVE_STATUS:
        for index, line in enumerate(header):
            if _names(line, field):
                return index + 1
    return 0


def _names(line: str, field: str) -> bool:
    return line.lstrip(_BULLETS).startswith(f"{field}:")
