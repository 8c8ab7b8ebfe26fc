"""One look at a run for what no longer stands, and the marks by which a later look is compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from phasegate.core.facts import ReadReceiptFacts
from phasegate.core.header import read_seal
from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.files.read import ARTIFACT_BYTES, Absent, Content, Outcome, read_file
from phasegate.workspace.artifacts import receipt_of, text_of
from phasegate.workspace.lock_receipts import lack_of
from phasegate.workspace.lock_seals import seal_fault
from phasegate.workspace.read_receipts import SIDECAR_LIMIT, receipt_facts
from phasegate.workspace.released import read_released
from phasegate.workspace.run_state import read_lock_receipts
from phasegate.workspace.site import Site
from phasegate.workspace.tamper import Observed, Tamper, TamperKind, judge_artifact

MAX_ADDENDA = 1_000
_ASIDE = {"forged": "was not written by the guard", "damaged": "is damaged"}


@dataclass(frozen=True, slots=True)
class RunLook:
    """What one look found. `locked` maps each artifact that counts as locked to its lock hash.

    `sidecar` is the digest of the read receipts, None when there are none. `released` maps
    artifacts to the lock hash that a reopen has released.
    """

    tampers: tuple[Tamper, ...]
    locked: Mapping[str, str]
    checked: int
    sidecar: str | None
    released: Mapping[str, str]


def look_at_run(site: Site, run: Directory, run_id: str) -> RunLook:
    """Check every artifact, addendum, lock receipt and read receipt of the *run*, whose lock is held."""
    place = f"{site.workflow.runs_path}/{run_id}"
    receipts = read_lock_receipts(run, site.workflow)
    locked: dict[str, str] = {}
    tampers: list[Tamper] = []
    for phase in site.workflow.phases:
        outcome = read_file(phase.artifact, ARTIFACT_BYTES, dir_fd=run.descriptor)
        receipt = receipts[phase.artifact]
        layout = site.workflow.layout
        receipt_path = f"{place}/{layout.locks}/{phase.stem}{layout.lock_receipt_suffix}"
        for kind, detail in _judged(phase.artifact, outcome, receipt):
            path = receipt_path if kind == "receipt-edited" else f"{place}/{phase.artifact}"
            tampers.append(Tamper(run_id, path, kind, detail))
        data = receipt.data if isinstance(receipt, Content) else None
        problem = seal_fault(run, f"{layout.locks}/{phase.stem}", run_id, data, site.key)
        if problem:
            detail = f"the lock receipt of `{phase.artifact}`: {problem}"
            tampers.append(Tamper(run_id, receipt_path, "receipt-edited", detail))
        digest = _locked_digest(phase.artifact, outcome, receipt)
        if digest is not None:
            locked[phase.artifact] = digest
    addenda = list(_addenda(site, run, run_id, place))
    sidecar, found = _read_receipts(site, run, run_id, place)
    return RunLook(
        tampers=(*tampers, *addenda, *found),
        locked=locked,
        checked=len(site.workflow.phases),
        sidecar=sidecar,
        released=read_released(run, site.workflow.layout, run_id, site.key),
    )


def observed(outcome: Outcome) -> Observed:
    """The outcome of reading an artifact, as the judge wants it."""
    if isinstance(outcome, Absent):
        return Observed(None)
    if not isinstance(outcome, Content):
        return Observed(None, outcome.reason)
    text = text_of(outcome.data)
    return Observed(text, "" if text is not None else "not valid UTF-8")


def _judged(name: str, outcome: Outcome, receipt: Outcome) -> tuple[tuple[TamperKind, str], ...]:
    reading = None if isinstance(receipt, Absent) else receipt_of(receipt)
    return judge_artifact(name, observed(outcome), reading)


def _locked_digest(name: str, outcome: Outcome, receipt: Outcome) -> str | None:
    text = observed(outcome).text
    seal = read_seal(text) if text is not None else None
    if seal is None or seal.status != "LOCKED" or lack_of(receipt_of(receipt), name, seal.digest):
        return None
    return seal.digest


def _addenda(site: Site, run: Directory, run_id: str, place: str) -> Iterator[Tamper]:
    """Addenda have no lock receipt: only a lock that their own header claims can be checked."""
    folder = site.workflow.layout.addenda
    try:
        with run.below(folder) as directory:
            for entry in directory.entries(MAX_ADDENDA)[0]:
                if entry.kind == "file" and entry.name.endswith(".md"):
                    outcome = read_file(entry.name, ARTIFACT_BYTES, dir_fd=directory.descriptor)
                    name = f"{folder}/{entry.name}"
                    for kind, detail in _judged(name, outcome, Absent()):
                        yield Tamper(run_id, f"{place}/{name}", kind, detail)
    except (FileNotFoundError, FileRefused, FactsUnreadable):
        return


def _read_receipts(site: Site, run: Directory, run_id: str, place: str) -> tuple[str | None, list[Tamper]]:
    name = site.workflow.layout.read_receipts
    try:
        data = run.read(name, SIDECAR_LIMIT)
    except (FileRefused, FactsUnreadable) as problem:
        return None, [Tamper(run_id, f"{place}/{name}", "replaced", problem.detail)]
    facts, defect = receipt_facts(data, run_id=run_id, artifacts=site.workflow.artifacts, key=site.key)
    details = [defect] if defect else []
    details += [_detail(receipt) for receipt in facts.values() if receipt.state in _ASIDE]
    found = [Tamper(run_id, f"{place}/{name}", "receipt-edited", detail) for detail in details]
    return None if data is None else hashlib.sha256(data).hexdigest(), found


def _detail(receipt: ReadReceiptFacts) -> str:
    return f"the read receipt of `{receipt.phase}` {_ASIDE[receipt.state]}"
