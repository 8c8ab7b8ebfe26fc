"""The status of an artifact, from its bytes and its lock receipt.

Two meanings of locked meet here. *Sealed*: header and hash of the text agree; such a
file is protected from writes. *LOCKED*: sealed, and the lock operation's own receipt
proves it; only that satisfies the order of phases.
"""

from __future__ import annotations

from dataclasses import dataclass

from phasegate.core.facts import ArtifactFacts
from phasegate.core.header import Seal, read_seal
from phasegate.files.read import Absent, Content, Outcome, Refused
from phasegate.workspace.lock_receipts import MISSING_RECEIPT, ReceiptReading, lack_of, parse

_DRAFT = Seal("DRAFT")


@dataclass(frozen=True, slots=True)
class FileSeal:
    """What is at a file's name.

    A file that exists and is not believed (a directory, a link that leaves the
    workspace, over the cap, not UTF-8) counts as present and not locked; `seal.lacks`
    says why. `unreadable` is set when the system refused, so that nobody knows.
    """

    present: bool
    seal: Seal = _DRAFT
    unreadable: str = ""


def seal_of(outcome: Outcome) -> FileSeal:
    """Judge the outcome of reading an artifact."""
    match outcome:
        case Absent():
            return FileSeal(present=False)
        case Refused(reason, system):
            why = f"it is {reason}"
            return FileSeal(True, Seal("DRAFT", why), why if system else "")
        case Content(data):
            text = text_of(data)
            return FileSeal(True, Seal("DRAFT", "it is not valid UTF-8") if text is None else read_seal(text))


def text_of(data: bytes) -> str | None:
    """The text of an artifact, or None when it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def receipt_of(outcome: Outcome) -> ReceiptReading:
    """Judge the outcome of reading a lock receipt."""
    match outcome:
        case Absent():
            return MISSING_RECEIPT
        case Refused(reason):
            return ReceiptReading(None, f"is {reason}")
        case Content(data):
            return parse(data)


def status_of(name: str, file: FileSeal, receipt: ReceiptReading) -> ArtifactFacts:
    """Combine both halves into the status of the workflow's artifact *name*."""
    if not file.present:
        return ArtifactFacts(name, "MISSING")
    seal = file.seal
    if seal.status != "LOCKED":
        return ArtifactFacts(name, seal.status, lacks=seal.lacks)
    lacks = lack_of(receipt, name, seal.digest)
    return ArtifactFacts(name, "STALE_LOCK" if lacks else "LOCKED", sealed=True, lacks=lacks)
