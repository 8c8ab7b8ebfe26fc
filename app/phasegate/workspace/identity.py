"""Is a target one of a run's artifacts under another name?

A hard link outside the run tree writes into the artifact it shares its file with. Only
a file that has a second name can be one, which its status tells for nothing; then the
artifacts of the workspace's runs are compared by device and inode. What is known of a
run is kept as long as its directory shows the same signature.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.core.facts import Place
from phasegate.core.ports import FileView
from phasegate.core.workflow import Workflow
from phasegate.errors import FactsUnreadable
from phasegate.files.cache import SignatureCache
from phasegate.files.kept import Identity, directories_in, directory_signature, file_identities
from phasegate.files.read import Refused, Signature
from phasegate.workspace.locate import Workspace
from phasegate.workspace.placing import Placed

RUNS_COMPARED = 20_000
"""Runs of one workspace that are compared. Beyond, a target with a second name can't be judged."""


class Identities:
    """Artifacts and guard files by identity, run by run."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._names = (*workflow.artifacts, workflow.layout.read_receipts)
        self._receipts = tuple(phase.stem + workflow.layout.lock_receipt_suffix for phase in workflow.phases)
        self._directories: SignatureCache[str, dict[Identity, str]] = SignatureCache(2 * RUNS_COMPARED)

    def other_place(
        self, path: str, placed: Placed, workspaces: Iterable[Workspace], view: FileView
    ) -> Placed | None:
        """The artifact (or the guard's own file) that *path* is by another name, or None.

        *placed*: where *path* lies by name. Raises `FactsUnreadable` when the runs
        can't be looked through.
        """
        status = view.lstat(path)
        if status is None or status.kind != "file" or status.nlink == 1 or placed.place.artifact is not None:
            return None
        identity = (status.dev, status.ino)
        for workspace in {item.root: item for item in workspaces}.values():
            found = self._find(identity, workspace, view)
            if found is not None:
                return found
        return None

    def _find(self, identity: Identity, workspace: Workspace, view: FileView) -> Placed | None:
        layout = self._workflow.layout
        control = f"{workspace.root}/{layout.control}"
        for name in (layout.policy, *layout.logs, layout.feedback):
            status = view.lstat(f"{control}/{name}")
            if status is not None and (status.dev, status.ino) == identity:
                return Placed(Place(workspace.name, f"{layout.control}/{name}"), workspace)
        runs = f"{workspace.root}/{self._workflow.runs_path}"
        entries = directories_in(runs, RUNS_COMPARED + 1)
        if isinstance(entries, Refused):
            raise FactsUnreadable(f"the directory of runs is {entries.reason}")
        if len(entries) > RUNS_COMPARED:
            raise FactsUnreadable(
                "a target has a second name, and there are too many runs to compare it with"
            )
        for entry in entries:
            member = self._name(f"{runs}/{entry.name}", entry.signature, identity)
            if member is not None:
                return self._in_run(workspace, entry.name, member)
        return None

    def _name(self, run: str, signature: Signature, identity: Identity) -> str | None:
        """Which of its own or the guard's files of the run has *identity*."""
        name = self._members(run, signature, self._names).get(identity)
        if name is not None:
            return name
        locks = f"{run}/{self._workflow.layout.locks}"
        own = directory_signature(locks)
        if own is None:
            return None
        name = self._members(locks, own, self._receipts).get(identity)
        return None if name is None else f"{self._workflow.layout.locks}/{name}"

    def _in_run(self, workspace: Workspace, run_id: str, name: str) -> Placed:
        rel = f"{self._workflow.runs_path}/{run_id}/{name}"
        artifact = name if name in self._workflow.by_artifact else None
        return Placed(Place(workspace.name, rel, run_id, name, artifact), workspace)

    def _members(self, path: str, signature: Signature, names: tuple[str, ...]) -> dict[Identity, str]:
        kept = self._directories.get(path, signature)
        if kept is not None:
            return kept.value
        started = self._directories.now()
        members = file_identities(path, names)
        self._directories.put(path, signature, members, started=started)
        return members
