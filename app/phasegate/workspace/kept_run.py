"""One run directory kept open: what its files said last, checked again by their signatures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from phasegate.core.facts import ArtifactFacts
from phasegate.core.workflow import Workflow
from phasegate.files.cache import Clock, Kept, keep
from phasegate.files.kept import Identity, KeptDirectory
from phasegate.files.read import (
    ABSENT,
    ARTIFACT_BYTES,
    LOCK_RECEIPT_BYTES,
    READ_RECEIPTS_BYTES,
    Content,
    Outcome,
    Refused,
    Signature,
    read_linked,
)
from phasegate.files.statuses import RawSignature, Statuses
from phasegate.workspace.artifacts import FileSeal, receipt_of, seal_of, status_of
from phasegate.workspace.lock_receipts import MISSING_RECEIPT, ReceiptReading

V = TypeVar("V")

# An outcome, and the signature to remember it by; None when it must be had again each time.
Reading = tuple[Outcome, Signature | None]
Signatures = list[RawSignature | None]

_A_LINK = Refused("a link")


@dataclass(slots=True)
class _Watched(Generic[V]):
    """One name: the value judged from its last reading, and what that is remembered by."""

    name: str
    judge: Callable[[Outcome], V]
    value: V
    kept: Kept[V] | None = None
    fleeting: bool = False

    def refresh(
        self, signature: RawSignature | None, read: Callable[[str, RawSignature], Reading], clock: Clock
    ) -> None:
        """Bring `value` up to date with a file that shows *signature* (None: there is none)."""
        if signature is None:
            if self.kept is not None or self.fleeting:
                self.value, self.kept, self.fleeting = self.judge(ABSENT), None, False
            return
        if self.kept is not None and self.kept.holds_for(signature):
            return
        started = clock()
        outcome, remembered = read(self.name, signature)
        self.value = self.judge(outcome)
        self.fleeting = remembered is None
        self.kept = (
            None
            if remembered is None
            else keep(self.kept, remembered, self.value, started=started, ended=clock())
        )

    @property
    def stable(self) -> bool:
        """Whether an unchanged signature is enough to answer the next question."""
        return not self.fleeting and (self.kept is None or self.kept.settled)


@dataclass(frozen=True, slots=True)
class RunState:
    """What a run directory holds: statuses by artifact, lock receipts where there are any."""

    artifacts: dict[str, ArtifactFacts]
    receipts: dict[str, ReceiptReading]
    unreadable: tuple[str, ...]


class KeptRun:
    """A run directory kept open.

    Threads may share it: hold `lock` while asking, and see `closed` first. *within*:
    the real directories that a linked artifact may lie in.
    """

    def __init__(
        self, directory: KeptDirectory, workflow: Workflow, within: tuple[str, ...], clock: Clock
    ) -> None:
        self.lock = threading.Lock()
        self.closed = False
        self.identity: Identity = directory.identity
        self._directory = directory
        self._locks: KeptDirectory | None = None
        self._locks_problem = ""
        self._within = within
        self._clock = clock
        layout = workflow.layout
        self._locks_name = layout.locks
        self._names = directory.statuses([name.encode() for name in (*workflow.artifacts, layout.locks)])
        receipt_names = tuple(phase.stem + layout.lock_receipt_suffix for phase in workflow.phases)
        self._artifacts = [_Watched(name, seal_of, FileSeal(present=False)) for name in workflow.artifacts]
        self._receipts = [_Watched(name, receipt_of, MISSING_RECEIPT) for name in receipt_names]
        self._lock_names: Statuses | None = None
        self._sidecar = _Watched(layout.read_receipts, _itself, _itself(ABSENT))
        self._sidecar_settled = False
        self._sidecar_name = directory.statuses([layout.read_receipts.encode()])
        # What the last looks at the names came to, if an equal look is enough to say it again,
        # and what they showed, as far as it matters.
        self._state: RunState | None = None
        self._seen: tuple[Signatures, Signatures, tuple[int, ...] | None] | None = None

    def state(self, path: str) -> RunState:
        """What the run holds now. *path* is where it lies, for artifacts that are links."""
        same = self._names.unchanged() and (self._lock_names is None or self._lock_names.unchanged())
        before = self._state
        if same and before is not None:
            return before
        self._state = None
        signatures = self._names.signatures()
        own = signatures.pop()
        receipt_signatures = self._receipt_signatures(own)
        seen = (signatures, receipt_signatures, None if own is None else own[:2])
        if before is not None and seen == self._seen and self._is_settled(own):
            # Something was read, or came to stand beside the receipts: nothing that is looked at here.
            self._state = before
            return before

        def read_artifact(name: str, signature: RawSignature) -> Reading:
            outcome = self._directory.read(name, ARTIFACT_BYTES)
            if outcome == _A_LINK:
                # A link's own signature says nothing of what it leads to: read each time.
                return self._read_link(path, name), None
            return _remembered(outcome, signature)

        for artifact, signature in zip(self._artifacts, signatures, strict=True):
            artifact.refresh(signature, read_artifact, self._clock)
        for receipt, signature in zip(self._receipts, receipt_signatures, strict=True):
            receipt.refresh(signature, self._read_receipt, self._clock)
        state = self._combined()
        if self._is_settled(own):
            self._seen, self._state = seen, state
        return state

    def sidecar(self) -> Outcome:
        """The file of read receipts as it is now; the same object while it has not changed."""
        if not self._sidecar_name.unchanged() or not self._sidecar_settled:
            self._sidecar_settled = False
            signature = self._sidecar_name.signatures()[0]
            self._sidecar.refresh(signature, self._read_sidecar, self._clock)
            self._sidecar_settled = self._sidecar.stable
        return self._sidecar.value

    def read_artifact(self, path: str, name: str) -> Outcome:
        """The artifact's bytes, read now. *path* as for `state`."""
        outcome = self._directory.read(name, ARTIFACT_BYTES)
        return self._read_link(path, name) if outcome == _A_LINK else outcome

    def _read_link(self, path: str, name: str) -> Outcome:
        return read_linked(f"{path}/{name}", self._within, ARTIFACT_BYTES)

    def close(self) -> None:
        """Give the descriptors back once nobody is asking."""
        with self.lock:
            if not self.closed:
                self.closed = True
                self._directory.close()
                self._close_locks()

    def _close_locks(self) -> None:
        if self._locks is not None:
            self._locks.close()
            self._locks = self._lock_names = None

    def _is_settled(self, own: RawSignature | None) -> bool:
        """Whether equal looks will mean the same; *own* is the signature of the directory of receipts."""
        opened = None if self._locks is None else self._locks.identity
        if self._locks_problem or opened != (None if own is None else own[:2]):
            return False
        return _all_stable(self._artifacts) and _all_stable(self._receipts)

    def _combined(self) -> RunState:
        pairs = list(zip(self._artifacts, self._receipts, strict=True))
        receipts = {file.name: self._receipt(receipt) for file, receipt in pairs}
        return RunState(
            {file.name: status_of(file.name, file.value, receipts[file.name]) for file, _ in pairs},
            {name: reading for name, reading in receipts.items() if reading is not MISSING_RECEIPT},
            tuple(f"`{file.name}`: {file.value.unreadable}" for file, _ in pairs if file.value.unreadable),
        )

    def _receipt(self, receipt: _Watched[ReceiptReading]) -> ReceiptReading:
        return ReceiptReading(None, self._locks_problem) if self._locks_problem else receipt.value

    def _receipt_signatures(self, own: RawSignature | None) -> Signatures:
        """Signatures in the directory of lock receipts, which is opened again when it is another one."""
        if self._locks is not None and (own is None or self._locks.identity != own[:2]):
            self._close_locks()
        self._locks_problem = ""
        if own is not None and self._locks is None:
            opened = self._directory.open_directory(self._locks_name)
            if isinstance(opened, KeptDirectory):
                self._locks = opened
                self._lock_names = opened.statuses([receipt.name.encode() for receipt in self._receipts])
            elif isinstance(opened, Refused):
                self._locks_problem = f"can't be had: `{self._locks_name}` is {opened.reason}"
        if self._lock_names is None:
            return [None] * len(self._receipts)
        self._lock_names.unchanged()
        return self._lock_names.signatures()

    def _read_receipt(self, name: str, signature: RawSignature) -> Reading:
        if self._locks is None:
            return ABSENT, None
        return _remembered(self._locks.read(name, LOCK_RECEIPT_BYTES), signature)

    def _read_sidecar(self, name: str, signature: RawSignature) -> Reading:
        return _remembered(self._directory.read(name, READ_RECEIPTS_BYTES), signature)


def _remembered(outcome: Outcome, signature: RawSignature) -> Reading:
    match outcome:
        case Content(_, own):
            return outcome, own
        case Refused(_, system):
            return outcome, None if system else Signature(*signature)
        case _:
            return outcome, None


def _all_stable(items: Iterable[_Watched[V]]) -> bool:
    return all(item.stable for item in items)


def _itself(outcome: Outcome) -> Outcome:
    return outcome
