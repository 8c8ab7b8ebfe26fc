"""Record a read of memory in a run's file of read receipts.

Read, merge and replace happen under the run lock. What other tools wrote is carried
through with its unknown keys; what can't be understood is set aside beside the file
and reported, never lost.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from phasegate.core.reading import MemoryReading
from phasegate.core.sealing import SealKey
from phasegate.errors import FileRefused
from phasegate.files.directory import Directory
from phasegate.files.write import create, move_aside, replace
from phasegate.workspace.read_receipts import (
    SEAL_FIELD,
    SIDECAR_LIMIT,
    Row,
    Sidecar,
    is_authentic,
    is_receipt,
    parse_sidecar,
    plain_receipt,
    seal_receipt,
    sealed_with,
)

_ASIDE_DIGITS = 12


@dataclass(frozen=True, slots=True)
class RecordedRead:
    """What recording did. `set_aside` names the copy of a damaged file; `warnings` are for the caller."""

    row: Row
    changed: bool
    set_aside: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads, and the key that seals the receipt (None: a version 1 row)."""

    run_id: str
    session_id: str | None = None
    key: SealKey | None = None


def record_read(
    run: Directory, name: str, phase: str, reading: MemoryReading, *, reader: Reader
) -> RecordedRead:
    """Put the receipt and the shard rows of one phase entry into the file *name* of the locked *run*.

    The same read recorded again leaves the file's bytes alone.
    """
    data, set_aside, warnings = _load(run, name)
    sidecar = parse_sidecar(data)
    row = receipt_row(sidecar, phase, reading, reader)
    merged = render_rows([*carried_rows(sidecar, phase, reading), row])
    if merged != data:
        replace(run, name, merged, limit=SIDECAR_LIMIT)
    return RecordedRead(row, merged != data, set_aside, warnings)


def drop_receipts(data: bytes | None, phases: Iterable[str]) -> bytes | None:
    """The file's bytes without the receipts of *phases*; None when there is nothing to drop."""
    gone = frozenset(phases)
    sidecar = parse_sidecar(data)
    kept = [row for row in sidecar.rows if not (is_receipt(row) and row["phase"] in gone)]
    if len(kept) == len(sidecar.rows):
        return None
    return render_rows(kept)


def carried_rows(sidecar: Sidecar, phase: str, reading: MemoryReading) -> list[Row]:
    """Every row that stays: other receipts, and shard rows unless this entry shows a new set for its phase."""
    kept = [row for row in sidecar.receipts if row["phase"] != phase]
    if not reading.shown:
        return [*kept, *sidecar.shards]
    known = {
        (row.get("source"), row.get("title")): row for row in sidecar.shards if row.get("phase") == phase
    }
    kept.extend(row for row in sidecar.shards if row.get("phase") != phase)
    for entry in reading.shown:
        fresh = {"source": entry.source, "title": entry.title, "phase": phase, "score": entry.score}
        kept.append({**known.get((entry.source, entry.title), {}), **fresh})
    return kept


def receipt_row(sidecar: Sidecar, phase: str, reading: MemoryReading, reader: Reader) -> Row:
    """The receipt of this read; an equal genuine one that is already there is kept as it is."""
    if reader.key is None:
        return plain_receipt(phase, reading)
    genuine = [row for row in sidecar.receipts if is_authentic(row, reader.key, reader.run_id)]
    for row in genuine:
        if row["phase"] == phase:
            order = (row[SEAL_FIELD]["sequence"], row[SEAL_FIELD]["previous"])
            again = _sealed(phase, reading, reader, order)
            if again == row:
                return row
    latest = max(genuine, key=lambda row: int(row[SEAL_FIELD]["sequence"]), default=None)
    if latest is None:
        return _sealed(phase, reading, reader, (1, None))
    return _sealed(phase, reading, reader, (latest[SEAL_FIELD]["sequence"] + 1, latest[SEAL_FIELD]["mac"]))


def render_rows(rows: Iterable[Row]) -> bytes:
    """Rows sorted by phase, source and title in code-point order, in the peer's layout."""
    ordered = sorted(rows, key=_order)
    text = json.dumps(ordered, indent=2, ensure_ascii=False, allow_nan=False)
    # A lone surrogate has no UTF-8 form; its JSON escape is the same character.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _sealed(phase: str, reading: MemoryReading, reader: Reader, order: tuple[int, str | None]) -> Row:
    if reader.key is None:
        raise ValueError("a sealed receipt needs a key")
    row = seal_receipt(phase, reading, run_id=reader.run_id, session_id=reader.session_id, order=order)
    return sealed_with(row, reader.key)


def _order(row: Row) -> tuple[str, str, str, bool, str]:
    phase, source, title = (
        value if isinstance(value := row.get(name), str) else "" for name in ("phase", "source", "title")
    )
    return phase, source, title, is_receipt(row), json.dumps(row, sort_keys=True)


def _load(run: Directory, name: str) -> tuple[bytes | None, str | None, tuple[str, ...]]:
    """The file's bytes; damage is kept beside it first. None when it could not be read at all."""
    try:
        data = run.read(name, SIDECAR_LIMIT)
    except FileRefused as refusal:
        aside = move_aside(run, name)
        return None, aside, (f"{refusal.detail}; it was moved to `{aside}`",)
    sidecar = parse_sidecar(data)
    if data is None or not (sidecar.defect or sidecar.junk or sidecar.damaged):
        return data, None, ()
    aside = f"{name}.corrupt-{hashlib.sha256(data).hexdigest()[:_ASIDE_DIGITS]}"
    create(run, aside, data)
    what = sidecar.defect or f"{sidecar.junk + len(sidecar.damaged)} damaged rows were dropped"
    return data, aside, (f"{what}; the old text is kept as `{aside}`",)
