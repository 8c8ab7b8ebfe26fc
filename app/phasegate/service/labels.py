"""Who this instance is, what time it is, and new ids: the only clock and randomness of a decision."""

from __future__ import annotations

import secrets
import socket
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from phasegate import __version__

_VERSION_7 = 0x7000
_DRAWN_BYTES = 8
_BLOCK = 256
# The two leading bits of the random part are 10: the variant of RFC 9562.
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels that every record of this process carries."""

    host: str = field(default_factory=socket.gethostname)
    service_version: str = __version__
    instance_id: str = field(default_factory=lambda: secrets.token_hex(8))


def new_id() -> tuple[str, str]:
    """A new id and the time it was made.

    The id is a time-ordered UUID (RFC 9562, version 7): milliseconds, a finer fraction,
    then chance. The time is UTC with microseconds, as `2026-11-30T12:00:00.123456Z`.
    """
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    head, fraction = f"{milliseconds:012x}", _VERSION_7 | (rest * 4096 // 1_000_000)
    tail = _chance.draw()
    made = f"{head[:8]}-{head[8:]}-{fraction:04x}-{_VARIANTS[tail[0]]}{tail[1:4]}-{tail[4:]}"
    second, rest = divmod(nanoseconds, 1_000_000_000)
    return made, f"{_second_text(second)}.{rest // 1000:06d}Z"


@lru_cache(maxsize=2)
def _second_text(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="seconds")[: -len("+00:00")]


class _Chance:
    """Random hex digits, drawn from the system in blocks: a system call for each id would cost more than it."""

    def __init__(self) -> None:
        self._drawn: list[str] = []

    def draw(self) -> str:
        """Sixteen digits. Threads may call this: each takes its own from the list."""
        try:
            return self._drawn.pop()
        except IndexError:
            block = secrets.token_hex(_BLOCK * _DRAWN_BYTES)
            size = 2 * _DRAWN_BYTES
            self._drawn += [block[at : at + size] for at in range(size, len(block), size)]
            return block[:size]


_chance = _Chance()
