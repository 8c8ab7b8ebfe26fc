"""A keyed seal over a record that lies where an agent can write.

The key stays with the service. Whoever can change the record but not read the key
can't produce a seal for the changed record. Code that runs as the same user and reads
the key can: the seal makes forgery evident, not impossible.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEY_BYTES = 32
_ID_LENGTH = 16


@dataclass(frozen=True, slots=True)
class SealKey:
    """A secret and the public name it goes by in records."""

    secret: bytes = field(repr=False)

    @property
    def key_id(self) -> str:
        return hashlib.sha256(b"phasegate key id\n" + self.secret).hexdigest()[:_ID_LENGTH]

    def seal(self, purpose: str, record: Mapping[str, Any]) -> str:
        """HMAC-SHA256 (lower-case hex) over *purpose*, a newline and the canonical text of *record*."""
        message = purpose.encode() + b"\n" + canonical(record)
        return hmac.new(self.secret, message, hashlib.sha256).hexdigest()

    def matches(self, purpose: str, record: Mapping[str, Any], seal: object) -> bool:
        """Whether *seal* is the seal of *record*, compared in constant time."""
        if not isinstance(seal, str):
            return False
        # As bytes: texts beyond ASCII can't be compared in constant time, and raise.
        given = seal.lower().encode("utf-8", "backslashreplace")
        return hmac.compare_digest(self.seal(purpose, record).encode(), given)


def canonical(record: Mapping[str, Any]) -> bytes:
    """JSON with keys sorted by code point, no blanks, everything beyond ASCII escaped."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii")


def digest(data: bytes) -> str:
    """`sha256:` and the lower-case hex digest of *data*."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
