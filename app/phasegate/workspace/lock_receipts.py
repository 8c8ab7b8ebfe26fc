"""Lock receipts: the file beside a run's artifacts that proves a lock was made by the lock operation.

The format is the peer's: seven fields, the last of them the SHA-256 of the other six as
Python's `json.dumps(fields, sort_keys=True)` prints them. Pure functions over bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

HASH_FIELD = "receipt_hash"
FIELDS = (
    "artifact",
    "artifact_hash",
    "artifact_path",
    "locked_at",
    "prerequisite_hashes",
    "previous_receipt_hash",
    HASH_FIELD,
)
_TEXT_FIELDS = ("artifact", "artifact_hash", "artifact_path", "locked_at", HASH_FIELD)
_HEX = frozenset("0123456789abcdefABCDEF")
_HASH_LENGTH = 64

ChainProblemKind = Literal[
    "unreadable-receipt",
    "receipt-hash-mismatch",
    "malformed-previous-hash",
    "missing-prerequisite-receipt",
    "prerequisite-hash-mismatch",
    "seal-mismatch",
]


@dataclass(frozen=True, slots=True)
class LockReceipt:
    """One lock. Hashes are SHA-256 in lower-case hex; `locked_at` is UTC, `YYYY-MM-DDTHH:MM:SSZ`.

    `previous_receipt_hash` is that of the same artifact's earlier receipt, if its file
    was still there at lock time; it does not chain phases.
    """

    artifact: str
    artifact_path: str
    artifact_hash: str
    locked_at: str
    prerequisite_hashes: Mapping[str, str]
    previous_receipt_hash: str | None
    receipt_hash: str = ""


@dataclass(frozen=True, slots=True)
class ReceiptReading:
    """What a lock receipt's file says.

    `problem` completes "its lock receipt ...". A receipt that parses and does not verify
    carries both; an absent or malformed one has no `receipt`.
    """

    receipt: LockReceipt | None
    problem: str = ""


MISSING_RECEIPT = ReceiptReading(None, "is missing")


@dataclass(frozen=True, slots=True)
class ChainProblem:
    """One fault: `phase` is the artifact whose receipt shows it."""

    phase: str
    kind: ChainProblemKind
    detail: str


@dataclass(frozen=True, slots=True)
class ChainReport:
    """Result of `verify_chain`; `checked` counts the receipts that could be read."""

    ok: bool
    checked: int
    problems: tuple[ChainProblem, ...] = ()


def receipt_hash(fields: Mapping[str, Any]) -> str:
    """The hash of a receipt; a `receipt_hash` among *fields* is left out."""
    return _hash(fields, ascii_only=True)


def fields_of(receipt: LockReceipt) -> dict[str, Any]:
    """The six hashed fields."""
    return {
        "artifact": receipt.artifact,
        "artifact_path": receipt.artifact_path,
        "artifact_hash": receipt.artifact_hash,
        "locked_at": receipt.locked_at,
        "prerequisite_hashes": dict(receipt.prerequisite_hashes),
        "previous_receipt_hash": receipt.previous_receipt_hash,
    }


def render(receipt: LockReceipt) -> bytes:
    """The file of *receipt*, its hash computed here: sorted keys, two spaces, no final newline."""
    fields = fields_of(receipt)
    fields[HASH_FIELD] = receipt_hash(fields)
    return json.dumps(fields, indent=2, sort_keys=True).encode("ascii")


def parse(data: bytes) -> ReceiptReading:
    """Read a receipt's bytes. Never raises."""
    try:
        raw = json.loads(data.decode("utf-8"), object_pairs_hook=_unique_keys, parse_constant=_refuse)
    except UnicodeDecodeError:
        return ReceiptReading(None, "is not valid UTF-8")
    except _DuplicateKeyError:
        return ReceiptReading(None, "repeats a key")
    except (ValueError, RecursionError):
        return ReceiptReading(None, "is not JSON")
    problem = _shape_problem(raw)
    if problem:
        return ReceiptReading(None, problem)
    genuine = raw[HASH_FIELD] in (_hash(raw, ascii_only=True), _hash(raw, ascii_only=False))
    return ReceiptReading(_receipt(raw), "" if genuine else "does not match its own hash")


def lack_of(reading: ReceiptReading, artifact: str, digest: str | None) -> str:
    """Why *reading* does not prove the lock of *artifact* with lock hash *digest*; "" when it does.

    The path inside the receipt is not compared: a clone of the workspace lies elsewhere.
    """
    receipt = reading.receipt
    if receipt is None or reading.problem:
        return f"its lock receipt {reading.problem}"
    if receipt.artifact != artifact:
        return "its lock receipt names another artifact"
    if receipt.artifact_hash.lower() != digest:
        return "its lock receipt names another hash"
    return ""


def verify_chain(
    sequence: Sequence[str], receipts: Mapping[str, ReceiptReading], hashes: Mapping[str, str | None]
) -> ChainReport:
    """Check every receipt of a run against the artifacts as they are now.

    *sequence*: the workflow's artifacts in order. *receipts*: what was found for each
    artifact, absent ones left out. *hashes*: the lock hash of each artifact's present
    text, None for one that is absent or can't be read. A run without receipts is in order.
    """
    problems: list[ChainProblem] = []
    checked = 0
    for artifact in sequence:
        reading = receipts.get(artifact)
        if reading is None:
            continue
        if reading.receipt is None:
            detail = f"the lock receipt of `{artifact}` {reading.problem}"
            problems.append(ChainProblem(artifact, "unreadable-receipt", detail))
            continue
        checked += 1
        problems.extend(_receipt_problems(artifact, reading, reading.receipt, hashes))
        problems.extend(_prerequisite_problems(artifact, reading.receipt, receipts, hashes))
    return ChainReport(not problems, checked, tuple(problems))


def _receipt_problems(
    artifact: str, reading: ReceiptReading, receipt: LockReceipt, hashes: Mapping[str, str | None]
) -> list[ChainProblem]:
    found: list[ChainProblem] = []
    if reading.problem:
        detail = f"the lock receipt of `{artifact}` was changed: it {reading.problem}"
        found.append(ChainProblem(artifact, "receipt-hash-mismatch", detail))
    elif receipt.artifact != artifact:
        detail = f"the lock receipt of `{artifact}` was changed: it is that of another artifact"
        found.append(ChainProblem(artifact, "receipt-hash-mismatch", detail))
    elif receipt.artifact_hash.lower() != hashes.get(artifact):
        gone = hashes.get(artifact) is None
        state = "can't be read any more" if gone else "was changed after its lock"
        found.append(ChainProblem(artifact, "receipt-hash-mismatch", f"the artifact `{artifact}` {state}"))
    previous = receipt.previous_receipt_hash
    if previous is not None and not _is_hash(previous):
        detail = f"the lock receipt of `{artifact}` names an earlier receipt by something that is no hash"
        found.append(ChainProblem(artifact, "malformed-previous-hash", detail))
    return found


def _prerequisite_problems(
    artifact: str,
    receipt: LockReceipt,
    receipts: Mapping[str, ReceiptReading],
    hashes: Mapping[str, str | None],
) -> list[ChainProblem]:
    found: list[ChainProblem] = []
    for name, digest in sorted(receipt.prerequisite_hashes.items()):
        shown = name[:100]
        if name not in receipts:
            detail = f"`{artifact}` was locked after `{shown}`, which has no lock receipt now"
            found.append(ChainProblem(artifact, "missing-prerequisite-receipt", detail))
        elif hashes.get(name) is None:
            detail = f"`{artifact}` was locked after `{shown}`, which can't be read now"
            found.append(ChainProblem(artifact, "prerequisite-hash-mismatch", detail))
        elif hashes[name] != digest.lower():
            detail = f"`{artifact}` was locked after another text of `{shown}`"
            found.append(ChainProblem(artifact, "prerequisite-hash-mismatch", detail))
    return found


def _hash(fields: Mapping[str, Any], *, ascii_only: bool) -> str:
    # The peer's second implementation does not escape; its receipts are accepted when read.
    hashed = {name: value for name, value in fields.items() if name != HASH_FIELD}
    text = json.dumps(hashed, sort_keys=True, ensure_ascii=ascii_only)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _shape_problem(raw: object) -> str:
    if not isinstance(raw, dict):
        return "is not a JSON object"
    for name in FIELDS:
        if name not in raw:
            return f"lacks `{name}`"
    if len(raw) != len(FIELDS):
        return "holds a field that no lock receipt has"
    for name in _TEXT_FIELDS:
        if not isinstance(raw[name], str):
            return f"holds a `{name}` that is not a text"
    hashes = raw["prerequisite_hashes"]
    if not isinstance(hashes, dict) or not all(isinstance(value, str) for value in hashes.values()):
        return "holds `prerequisite_hashes` that are not texts by name"
    return ""


def _receipt(raw: Mapping[str, Any]) -> LockReceipt:
    previous = raw["previous_receipt_hash"]
    if previous is not None and not isinstance(previous, str):
        # Kept as a text that is no hash, so that the report can name it as malformed.
        previous = f"({type(previous).__name__})"
    return LockReceipt(
        artifact=raw["artifact"],
        artifact_path=raw["artifact_path"],
        artifact_hash=raw["artifact_hash"],
        locked_at=raw["locked_at"],
        prerequisite_hashes=raw["prerequisite_hashes"],
        previous_receipt_hash=previous,
        receipt_hash=raw[HASH_FIELD],
    )


def _is_hash(text: str) -> bool:
    return len(text) == _HASH_LENGTH and _HEX.issuperset(text)


class _DuplicateKeyError(ValueError):
    pass


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DuplicateKeyError
    return found


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
