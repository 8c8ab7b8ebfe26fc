"""Read receipts: the rows of a run that prove memory was read at a phase entry.

The file is the peer's: a JSON array in which shard rows (what was shown) and receipts
(that it was read) lie side by side. A receipt has the peer's seven fields. Ours carries
one key more, `phasegate`, with what binds it to run, session, plane and order, under a
keyed seal; the peer's reader ignores that key. A row without it is version 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from phasegate.core.facts import ReadReceiptFacts, ReceiptState
from phasegate.core.reading import MemoryReading
from phasegate.core.sealing import SealKey, digest

RESERVED_SOURCE = "memory-read:attempt"
SIDECAR_LIMIT = 1 << 20
SEAL_FIELD = "phasegate"
VERSION = 2
_MAX_DEPTH = 32
_PURPOSE = "phasegate read receipt 2"
_PEER_FIELDS = ("source", "title", "phase", "score", "injected", "shards", "reason")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The parsed file.

    `damaged` are receipts that have lost their shape: never counted as shown, never
    believed. `junk` counts elements that are no object. `defect` says why nothing at all
    could be read.
    """

    rows: tuple[Row, ...] = ()
    damaged: tuple[Row, ...] = ()
    junk: int = 0
    defect: str = ""

    @property
    def receipts(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if is_receipt(row))

    @property
    def shards(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if not is_receipt(row))


def is_receipt(row: object) -> bool:
    """Whether *row* has the shape of a read receipt."""
    return (
        isinstance(row, dict)
        and row.get("source") == RESERVED_SOURCE
        and isinstance(row.get("phase"), str)
        and isinstance(row.get("injected"), bool)
        and isinstance(row.get("shards"), int | float)
        and not isinstance(row.get("shards"), bool)
        and isinstance(row.get("reason"), str)
    )


def parse_sidecar(data: bytes | None) -> Sidecar:
    """Read the file's bytes. Nothing raises: a missing or blank file has no rows and no defect."""
    if data is None or not data.strip():
        return Sidecar()
    if len(data) > SIDECAR_LIMIT:
        return Sidecar(defect="the read receipts are over 1 MiB")
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return Sidecar(defect="the read receipts are not JSON")
    if not isinstance(value, list):
        return Sidecar(defect="the read receipts are not a JSON array")
    if _depth_over(value, _MAX_DEPTH):
        return Sidecar(defect="the read receipts are nested too deeply")
    objects = [row for row in value if isinstance(row, dict)]
    damaged = tuple(row for row in objects if row.get("source") == RESERVED_SOURCE and not is_receipt(row))
    rows = tuple(row for row in objects if row.get("source") != RESERVED_SOURCE or is_receipt(row))
    return Sidecar(rows, damaged, len(value) - len(objects))


def receipt_facts(
    data: bytes | None,
    *,
    run_id: str,
    artifacts: Collection[str],
    key: SealKey | None = None,
    plane_digest: Callable[[], str] | None = None,
) -> tuple[Mapping[str, ReadReceiptFacts], str]:
    """The newest receipt of each of *artifacts*, by its exact name, and the file's defect if it has one.

    A sealed receipt is `forged` when it does not verify with *key* for this run and
    phase, `damaged` when its sealed part has lost its shape, and `stale` when the plane
    has changed. *plane_digest* is called once at most, and only when a sealed receipt
    depends on it; without it freshness is not judged.
    """
    sidecar = parse_sidecar(data)
    found: dict[str, ReadReceiptFacts] = {}
    current: list[str] = []
    for row in (*sidecar.damaged, *sidecar.receipts):
        phase = row.get("phase")
        if not isinstance(phase, str) or phase not in artifacts:
            continue
        state = _state(row, run_id, key)
        if state == "valid" and SEAL_FIELD in row and plane_digest is not None:
            current = current or [plane_digest()]
            state = "valid" if row[SEAL_FIELD]["plane_digest"] == current[0] else "stale"
        found[phase] = ReadReceiptFacts(phase, state, VERSION if SEAL_FIELD in row else 1)
    return found, sidecar.defect


def seal_receipt(
    phase: str, reading: MemoryReading, *, run_id: str, session_id: str | None, order: tuple[int, str | None]
) -> Row:
    """The unsealed version 2 row; *order* is its sequence number and the seal of the one before it."""
    sequence, previous = order
    row = plain_receipt(phase, reading)
    row[SEAL_FIELD] = {
        "version": VERSION,
        "run": run_id,
        "session": session_id,
        "sequence": sequence,
        "plane_digest": reading.plane_digest,
        "query_digest": reading.query_digest,
        "section_digest": digest(reading.section.encode("utf-8", "surrogatepass")),
        "entries": [
            {"source": entry.source, "title": entry.title, "digest": entry.digest, "score": entry.score}
            for entry in reading.shown
        ],
        "previous": previous,
    }
    return row


def plain_receipt(phase: str, reading: MemoryReading) -> Row:
    """The peer's seven fields, in the peer's order."""
    return {
        "source": RESERVED_SOURCE,
        "title": phase,
        "phase": phase,
        "score": 0,
        "injected": reading.injected,
        "shards": len(reading.shown),
        "reason": reading.reason,
    }


def sealed_with(row: Row, key: SealKey) -> Row:
    """*row* with the key's name and the seal over everything we wrote into it."""
    block = {**row[SEAL_FIELD], "key_id": key.key_id}
    return {**row, SEAL_FIELD: {**block, "mac": key.seal(_PURPOSE, _covered(row, block))}}


def is_authentic(row: Row, key: SealKey, run_id: str) -> bool:
    """Whether a version 2 row was sealed with *key* for this run and phase."""
    return _state(row, run_id, key) == "valid" and SEAL_FIELD in row


def _state(row: Row, run_id: str, key: SealKey | None) -> ReceiptState:
    if not is_receipt(row):
        return "damaged"
    if SEAL_FIELD not in row:
        return "valid"
    block = row[SEAL_FIELD]
    if not _block_shape(block):
        return "damaged"
    unsealed = {name: value for name, value in block.items() if name != "mac"}
    genuine = (
        key is not None
        and block["key_id"] == key.key_id
        and block["run"] == run_id
        and key.matches(_PURPOSE, _covered(row, unsealed), block["mac"])
    )
    return "valid" if genuine else "forged"


def _block_shape(block: object) -> bool:
    return (
        isinstance(block, dict)
        and block.get("version") == VERSION
        and all(isinstance(block.get(name), str) for name in ("run", "plane_digest", "key_id", "mac"))
        and isinstance(block.get("sequence"), int)
        and isinstance(block.get("entries"), list)
    )


def _covered(row: Row, block: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**{name: row.get(name) for name in _PEER_FIELDS}, SEAL_FIELD: block}


def _depth_over(value: object, limit: int) -> bool:
    level: list[object] = [value]
    for _ in range(limit):
        level = [
            item
            for holder in level
            if isinstance(holder, dict | list)
            for item in (holder.values() if isinstance(holder, dict) else holder)
        ]
        if not level:
            return False
    return True


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is out of range")
    return value
