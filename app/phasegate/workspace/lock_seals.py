"""An optional keyed seal beside a lock receipt: the receipt's own hash is one that anybody can compute."""

from __future__ import annotations

import json

from phasegate.core.sealing import SealKey, digest
from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.workspace.pending import Change

SEAL_SUFFIX = ".seal.json"
SEAL_LIMIT = 256 * 1024
_PURPOSE = "phasegate lock receipt 1"


def seal_change(
    stem: str, run_id: str, receipt: bytes, documents: tuple[tuple[str, str], ...], key: SealKey
) -> Change:
    """The seal's file for the lock receipt whose path begins with *stem*."""
    record = {
        "run": run_id,
        "receipt": digest(receipt),
        "documents": [list(pair) for pair in documents],
        "key_id": key.key_id,
    }
    sealed = {**record, "mac": key.seal(_PURPOSE, record)}
    return Change(stem + SEAL_SUFFIX, json.dumps(sealed, indent=2, sort_keys=True).encode("ascii") + b"\n")


def seal_fault(run: Directory, stem: str, run_id: str, receipt: bytes | None, key: SealKey) -> str:
    """What the seal of the lock receipt whose path begins with *stem* says against it; "" without a seal."""
    try:
        data = run.read(stem + SEAL_SUFFIX, SEAL_LIMIT)
    except (FileRefused, FactsUnreadable) as problem:
        return problem.detail
    return "" if data is None else seal_problem(data, run_id, receipt, key)


def seal_problem(data: bytes, run_id: str, receipt: bytes | None, key: SealKey) -> str:
    """Why the seal *data* does not vouch for the lock receipt's bytes; "" when it does."""
    try:
        sealed = json.loads(data)
        mac = sealed.pop("mac")
        genuine = key.matches(_PURPOSE, sealed, mac) and sealed["run"] == run_id
        covered = str(sealed["receipt"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "its seal is damaged"
    if not genuine:
        return "its seal is not the guard's"
    return "" if receipt is not None and covered == digest(receipt) else "it differs from what was sealed"
