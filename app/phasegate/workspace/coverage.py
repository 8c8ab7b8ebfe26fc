"""What an operation on a whole directory would take with it.

Only the control plane is walked, never the product, and only so far: a run that was not
looked through to its end counts as locked.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass, field

from phasegate.core.ports import FileStat, FileView
from phasegate.core.workflow import Workflow
from phasegate.errors import ViewExhausted
from phasegate.files.view import DiskView
from phasegate.workspace.locate import Workspace, relative, within
from phasegate.workspace.seals import Seals

LOOK_UPS = 16_384
FILES_READ = 1_000
NAMED = 32
"""Files that are named; one would be enough to refuse."""

_DOCUMENT = ".md"
_DEPTH = 6


@dataclass(slots=True)
class Covered:
    """Existing files below a directory, relative to their workspace, and what could not be read."""

    sealed: list[str] = field(default_factory=list)
    guarded: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


class Coverage:
    """Looks through control planes for what must not be swept away."""

    def __init__(self, workflow: Workflow, seals: Seals) -> None:
        self._workflow = workflow
        self._seals = seals

    def concerns(self, rel: str) -> bool:
        """Whether *rel* (relative to a workspace) lies in its control plane, or holds it."""
        control = self._workflow.layout.control
        return _meets(rel, control)

    def below(self, rel: str, workspace: Workspace, source: str | None = None) -> Covered:
        """What lies at or below *rel*, a path that `concerns` the control plane of *workspace*.

        With *source*, a directory: what its tree would overwrite there, and which of the
        guard's own files it would put there.
        """
        found = Covered()
        walk = _Walk(self._workflow, self._seals, workspace, rel, found, source)
        try:
            walk.run()
        except ViewExhausted:
            found.sealed.append(walk.at)
        return found

    def protected(self, rel: str, workspace: Workspace, view: FileView) -> Iterator[str]:
        """Protected places that exist at, below or above *rel*: runs, memory planes, configuration."""
        layout = self._workflow.layout
        for name in (layout.runs, *layout.planes.values(), layout.config):
            place = f"{layout.control}/{name}"
            if _meets(rel, place) and view.lstat(f"{workspace.root}/{place}") is not None:
                yield place

    def protects(self, rel: str) -> bool:
        """Whether *rel* is a protected place or lies in one."""
        layout = self._workflow.layout
        names = (layout.runs, *layout.planes.values(), layout.config)
        return any(within(rel, f"{layout.control}/{name}") for name in names)


class _Walk:
    """One look through a control plane. `at` is the run being looked through."""

    def __init__(
        self,
        workflow: Workflow,
        seals: Seals,
        workspace: Workspace,
        rel: str,
        found: Covered,
        source: str | None,
    ) -> None:
        self._workflow = workflow
        self._seals = seals
        self._root = workspace.root
        self._rel = rel
        self._source = source
        self._found = found
        self._view = DiskView(budget=LOOK_UPS)
        self._files = FILES_READ
        self.at = workflow.runs_path

    def run(self) -> None:
        self._configuration()
        runs = self._workflow.runs_path
        if self._rel != runs and within(self._rel, runs):
            self._run(self._rel[len(runs) + 1 :].partition("/")[0])
        elif _meets(self._rel, runs):
            for name in self._names(runs):
                if len(self._found.sealed) < NAMED:
                    self._run(name)

    def _configuration(self) -> None:
        layout = self._workflow.layout
        names = [layout.policy, *layout.logs, layout.feedback]
        if _meets(self._rel, f"{layout.control}/{layout.config}"):
            listed = (f"{layout.config}/{name}" for name in self._names(f"{layout.control}/{layout.config}"))
            names.extend(name for name in listed if fnmatch.fnmatchcase(name, layout.own_files))
        for name in dict.fromkeys(names):
            self._guard(f"{layout.control}/{name}")

    def _run(self, run_id: str) -> None:
        self.at = f"{self._workflow.runs_path}/{run_id}"
        layout = self._workflow.layout
        self._guard(f"{self.at}/{layout.read_receipts}")
        for name in self._names(f"{self.at}/{layout.locks}"):
            self._guard(f"{self.at}/{layout.locks}/{name}")
        inside = self._rel if within(self._rel, self.at) else self.at
        self._documents(inside, _DEPTH)

    def _documents(self, rel: str, depth: int) -> None:
        """Sealed documents at or below *rel*."""
        status = self._status(rel)
        if status is None:
            return
        if status.kind == "file":
            self._document(rel)
        elif status.kind == "dir" or rel == self.at:
            if depth == 0:
                raise ViewExhausted("a run is nested too deeply")
            for name in self._names(rel):
                self._documents(f"{rel}/{name}", depth - 1)

    def _document(self, rel: str) -> None:
        if not rel.endswith(_DOCUMENT) or len(self._found.sealed) >= NAMED:
            return
        self._files -= 1
        if self._files < 0:
            raise ViewExhausted("the runs hold too many documents")
        seal = self._seals.at(f"{self._root}/{rel}", self._view)
        if seal.seal.status == "LOCKED":
            self._found.sealed.append(rel)
        if seal.unreadable:
            self._found.unreadable.append(f"`{rel}`: {seal.unreadable}")

    def _guard(self, rel: str) -> None:
        wanted = within(rel, self._rel) if self._rel else True
        if wanted and len(self._found.guarded) < NAMED and self._status(rel):
            self._found.guarded.append(rel)

    def _names(self, rel: str) -> tuple[str, ...]:
        path = self._path(rel)
        return () if path is None else self._view.listdir(path) or ()

    def _status(self, rel: str) -> FileStat | None:
        path = self._path(rel)
        return None if path is None else self._view.lstat(path)

    def _path(self, rel: str) -> str | None:
        """Where to look for *rel*: in the workspace, or in the tree that is to come there."""
        if self._source is None:
            return f"{self._root}/{rel}"
        if self._rel and not within(rel, self._rel):
            return None
        return f"{self._source}/{relative(rel, self._rel) if self._rel else rel}".rstrip("/")


def _meets(rel: str, place: str) -> bool:
    """Whether one of the two relative paths holds the other."""
    return rel == "" or within(place, rel) or within(rel, place)
