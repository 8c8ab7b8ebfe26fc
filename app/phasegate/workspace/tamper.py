"""What has happened to a locked artifact behind the guard's back, told from the disk alone. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from phasegate.core.header import Seal, header_word, read_seal
from phasegate.workspace.lock_receipts import ReceiptReading

TamperKind = Literal["edited", "unlocked", "deleted", "replaced", "receipt-edited", "smuggled"]


@dataclass(frozen=True, slots=True)
class Tamper:
    """One finding. `path` is relative to the workspace; `run_id` is the run that owns the path."""

    run_id: str | None
    path: str
    kind: TamperKind
    detail: str


@dataclass(frozen=True, slots=True)
class Observed:
    """What lies at an artifact's name. `text` None: nothing, or (`odd` says what) no readable text."""

    text: str | None
    odd: str = ""


def judge_artifact(
    name: str, observed: Observed, receipt: ReceiptReading | None, receipt_artifact: str | None = None
) -> tuple[tuple[TamperKind, str], ...]:
    """Kinds of tampering with one artifact, each with a detail.

    *receipt* is what its lock receipt's file says, None when there is no such file: then
    only a lock that its own header claims and does not keep is reported. *receipt_artifact*
    is the name the receipt must carry, if it is not *name*.
    """
    found: list[tuple[TamperKind, str]] = []
    seal = read_seal(observed.text) if observed.text is not None else None
    if receipt is None:
        if seal is not None and seal.status == "STALE_LOCK":
            found.append(_broken(observed.text or "", seal))
        return tuple(found)
    if receipt.receipt is None or receipt.problem:
        found.append(("receipt-edited", f"the lock receipt of `{name}` {receipt.problem}"))
    elif receipt.receipt.artifact != (receipt_artifact or name):
        found.append(("receipt-edited", f"the lock receipt of `{name}` names another artifact"))
    lost = _lost(name, observed, seal, receipt)
    return (*([lost] if lost else []), *found)


def _lost(
    name: str, observed: Observed, seal: Seal | None, receipt: ReceiptReading
) -> tuple[TamperKind, str] | None:
    """How the lock that the receipt speaks of was lost, if it was."""
    if observed.odd:
        return "replaced", f"`{name}` was locked and now is {observed.odd}"
    if seal is None:
        return "deleted", f"`{name}` was locked and is gone"
    if seal.status == "DRAFT":
        return "unlocked", f"`{name}` was locked and now says it is not, without a reopen"
    if seal.status == "STALE_LOCK":
        return _broken(observed.text or "", seal)
    known = receipt.receipt
    if known is not None and not receipt.problem and known.artifact_hash.lower() != seal.digest:
        return "replaced", f"`{name}` carries a lock of another text than the one that was locked"
    return None


def _broken(text: str, seal: Seal) -> tuple[TamperKind, str]:
    stored = header_word(text, "LockHash")
    if stored is not None and stored.lower() == seal.digest:
        return "smuggled", f"text was hidden where no hash covers it: {seal.lacks}"
    return "edited", f"the lock no longer holds: {seal.lacks}"
