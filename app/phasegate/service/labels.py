"""Who this instance is, what time it is, and new ids: the only clock and randomness of a decision."""

from __future__ import annotations

import secrets
import socket
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from phasegate import __version__

_VERSION_7 = 0x7000
_VARIANT = 0x8000000000000000
_RANDOM_BITS = (1 << 62) - 1


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels that every record of this process carries."""

    host: str = field(default_factory=socket.gethostname)
    service_version: str = __version__
    instance_id: str = field(default_factory=lambda: secrets.token_hex(8))


def now_text() -> str:
    """UTC with microseconds, as `2026-11-30T12:00:00.123456Z`."""
    return datetime.now(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def uuid7() -> str:
    """A time-ordered UUID (RFC 9562, version 7): milliseconds, a finer fraction, then chance."""
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    head = milliseconds << 16 | _VERSION_7 | (rest * 4096 // 1_000_000)
    tail = _VARIANT | (int.from_bytes(secrets.token_bytes(8)) & _RANDOM_BITS)
    text = f"{head:016x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
