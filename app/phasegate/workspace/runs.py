"""Runs of a workspace: which there are, and what each holds now.

A run's facts are kept with the signatures of the files they came from, and every
question compares these again: a change is seen by the next call, and what has not
changed is not read. A write through a shared memory mapping may leave a signature as
it was; whoever *grants* something on the strength of a hash asks for `fresh` facts.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from phasegate.core.facts import ArtifactFacts, ReadReceiptFacts, RunFacts
from phasegate.core.header import lock_hash
from phasegate.core.runid import run_id_problem
from phasegate.core.sealing import SealKey
from phasegate.core.workflow import Workflow
from phasegate.errors import FactsUnreadable
from phasegate.files.cache import Clock
from phasegate.files.kept import (
    DirectoryEntry,
    KeptDirectory,
    directories_in,
    directory_identity,
    open_directory,
    real_path,
)
from phasegate.files.read import Absent, Content, Outcome, Refused
from phasegate.workspace.artifacts import text_of
from phasegate.workspace.kept_run import KeptRun, RunState
from phasegate.workspace.locate import Workspace
from phasegate.workspace.lock_receipts import ChainReport, verify_chain
from phasegate.workspace.read_receipts import receipt_facts

RUNS_KEPT = 64
"""Run directories kept open; each costs two descriptors at most."""

RUNS_LISTED = 20_000
"""Names of the directory of runs that are looked at."""

_VERSION_1 = 1

PlaneDigest = Callable[[Workspace], str]


@dataclass(frozen=True, slots=True)
class RunReading:
    """A run's facts, and what of it exists but could not be read."""

    facts: RunFacts
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run directory. `mtime_ns` is the directory's own."""

    run_id: str
    mtime_ns: int
    linked: bool


class Runs:
    """Facts of runs, kept and checked again at each question. Thread-safe.

    *key* verifies sealed read receipts; *plane_digest* gives the present digest of a
    workspace's memory plane, to tell stale ones.
    """

    def __init__(
        self,
        workflow: Workflow,
        *,
        key: SealKey | None = None,
        plane_digest: PlaneDigest | None = None,
        limit: int = RUNS_KEPT,
        clock: Clock = time.monotonic_ns,
    ) -> None:
        self._workflow = workflow
        self._runs_path = workflow.runs_path
        self._key = key
        self._plane_digest = plane_digest
        self._limit = limit
        self._clock = clock
        self._kept: OrderedDict[str, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._absent: Mapping[str, ArtifactFacts] = {
            name: ArtifactFacts(name, "MISSING") for name in workflow.artifacts
        }

    def facts(self, workspace: Workspace, run_id: str, *, receipts: bool = False) -> RunReading:
        """What the run holds now; with its read receipts when *receipts*. An absent run is a fact."""
        path = self.path(workspace, run_id)
        identity = directory_identity(path)
        if not isinstance(identity, tuple):
            self._drop(path)
            return self._without_directory(run_id, identity)
        for _ in range(2):
            entry = self._entry(workspace, run_id, path, identity)
            if not isinstance(entry, _Entry):
                return self._without_directory(run_id, entry)
            with entry.run.lock:
                if not entry.run.closed:
                    return self._reading(entry, path, receipts=receipts)
        return self.fresh(workspace, run_id, receipts=receipts)

    def fresh(self, workspace: Workspace, run_id: str, *, receipts: bool = True) -> RunReading:
        """The same with every file read now, whatever its signature."""
        path = self.path(workspace, run_id)
        entry = self._open(workspace, run_id, path)
        if not isinstance(entry, _Entry):
            return self._without_directory(run_id, entry)
        try:
            return self._reading(entry, path, receipts=receipts)
        finally:
            entry.run.close()

    def verify(self, workspace: Workspace, run_id: str) -> ChainReport:
        """Check the run's lock receipts against its artifacts, all read now.

        Raises `FactsUnreadable` when the run directory can't be opened. A run that does
        not exist has no receipts, so nothing is wrong with it.
        """
        path = self.path(workspace, run_id)
        entry = self._open(workspace, run_id, path)
        if isinstance(entry, Refused):
            raise FactsUnreadable(f"the run `{run_id}` is {entry.reason}")
        if isinstance(entry, Absent):
            return ChainReport(ok=True, checked=0)
        try:
            state = entry.run.state(path)
            hashes = {name: _hash(entry.run, path, name) for name in self._workflow.artifacts}
            return verify_chain(self._workflow.artifacts, state.receipts, hashes)
        finally:
            entry.run.close()

    def listing(self, workspace: Workspace) -> tuple[RunEntry, ...]:
        """The runs, newest first, names in order where two are of one time.

        Directories, and links to directories, whose name can be a run id. Raises
        `FactsUnreadable` when the directory of runs can't be listed.
        """
        entries = self._newest_first(workspace)
        return tuple(
            RunEntry(entry.name, entry.signature.mtime_ns, entry.linked)
            for entry in entries
            if run_id_problem(entry.name) is None
        )

    def newest(self, workspace: Workspace) -> str | None:
        """Id of the run whose directory changed last. Costs a look at every run."""
        names = (entry.name for entry in self._newest_first(workspace))
        return next((name for name in names if run_id_problem(name) is None), None)

    def path(self, workspace: Workspace, run_id: str) -> str:
        """Where the run lies, or would lie."""
        return f"{workspace.root}/{self._runs_path}/{run_id}"

    def close(self) -> None:
        """Close every directory that is kept open."""
        with self._lock:
            entries = list(self._kept.values())
            self._kept.clear()
        for entry in entries:
            entry.run.close()

    def _newest_first(self, workspace: Workspace) -> list[DirectoryEntry]:
        found = directories_in(f"{workspace.root}/{self._runs_path}", RUNS_LISTED)
        if isinstance(found, Refused):
            raise FactsUnreadable(f"the directory of runs is {found.reason}")
        return sorted(found, key=lambda entry: (-entry.signature.mtime_ns, entry.name))

    def _reading(self, entry: _Entry, path: str, *, receipts: bool) -> RunReading:
        state = entry.run.state(path)
        if entry.reading is None or state is not entry.state:
            facts = RunFacts(entry.run_id, exists=True, artifacts=state.artifacts)
            prefix = f"run `{entry.run_id}`, "
            entry.state = state
            entry.reading = RunReading(facts, tuple(prefix + text for text in state.unreadable))
            entry.with_receipts = None
        return self._with_receipts(entry, entry.reading) if receipts else entry.reading

    def _with_receipts(self, entry: _Entry, plain: RunReading) -> RunReading:
        sidecar = entry.run.sidecar()
        if entry.with_receipts is not None and sidecar is entry.sidecar:
            return entry.with_receipts
        found, defect = self._receipts(entry, sidecar)
        facts = replace(plain.facts, read_receipts=found, read_receipts_defect=defect)
        unreadable = plain.unreadable
        if isinstance(sidecar, Refused) and sidecar.system:
            unreadable = (*unreadable, f"run `{entry.run_id}`, {defect}")
        reading = RunReading(facts, unreadable)
        # A sealed receipt also depends on the memory plane, so it is judged each time.
        lasting = self._plane_digest is None or all(r.version == _VERSION_1 for r in found.values())
        entry.sidecar, entry.with_receipts = (sidecar, reading) if lasting else (None, None)
        return reading

    def _receipts(self, entry: _Entry, sidecar: Outcome) -> tuple[Mapping[str, ReadReceiptFacts], str]:
        if isinstance(sidecar, Refused):
            return {}, f"the file of read receipts is {sidecar.reason}"
        digest = self._plane_digest
        return receipt_facts(
            sidecar.data if isinstance(sidecar, Content) else None,
            run_id=entry.run_id,
            artifacts=self._workflow.artifacts,
            key=self._key,
            plane_digest=None if digest is None else lambda: digest(entry.workspace),
        )

    def _without_directory(self, run_id: str, why: Absent | Refused) -> RunReading:
        facts = RunFacts(run_id, exists=False, artifacts=self._absent)
        if isinstance(why, Refused) and why.system:
            return RunReading(facts, (f"the run `{run_id}` is {why.reason}",))
        return RunReading(facts)

    def _entry(
        self, workspace: Workspace, run_id: str, path: str, identity: tuple[int, int]
    ) -> _Entry | Absent | Refused:
        """The kept run that is still the directory at *path*, or a newly opened one."""
        with self._lock:
            entry = self._kept.get(path)
            if entry is not None and entry.run.identity == identity:
                self._kept.move_to_end(path)
                return entry
        opened = self._open(workspace, run_id, path)
        if not isinstance(opened, _Entry):
            self._drop(path)
            return opened
        with self._lock:
            dropped = [self._kept.pop(path)] if path in self._kept else []
            self._kept[path] = opened
            while len(self._kept) > self._limit:
                dropped.append(self._kept.popitem(last=False)[1])
        for old in dropped:
            old.run.close()
        return opened

    def _open(self, workspace: Workspace, run_id: str, path: str) -> _Entry | Absent | Refused:
        directory = open_directory(path)
        if not isinstance(directory, KeptDirectory):
            return directory
        within = (workspace.root, real_path(path))
        return _Entry(run_id, workspace, KeptRun(directory, self._workflow, within, self._clock))

    def _drop(self, path: str) -> None:
        with self._lock:
            entry = self._kept.pop(path, None)
        if entry is not None:
            entry.run.close()


@dataclass(slots=True)
class _Entry:
    """A kept run with the facts last made from it."""

    run_id: str
    workspace: Workspace
    run: KeptRun
    state: RunState | None = None
    reading: RunReading | None = None
    sidecar: Outcome | None = None
    with_receipts: RunReading | None = None


def _hash(run: KeptRun, path: str, name: str) -> str | None:
    outcome = run.read_artifact(path, name)
    text = text_of(outcome.data) if isinstance(outcome, Content) else None
    return None if text is None else lock_hash(text)
