"""Where a target lies: which workspace, which run, which artifact.

A place is found from the target's real path. A control directory, the directory of
runs or a run may be a link, so that its files' real paths lie elsewhere; and on a
volume that ignores letter case other spellings name the same files. Both are brought
back to the workspace's own spelling here, so that no rule has to think of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from phasegate.core.call import WriteTarget
from phasegate.core.facts import Place
from phasegate.core.ports import FileStat, FileView
from phasegate.core.runid import run_id_problem
from phasegate.core.workflow import Workflow
from phasegate.errors import FactsUnreadable
from phasegate.files.cache import SignatureCache
from phasegate.files.kept import linked_names
from phasegate.files.read import Refused, Signature
from phasegate.targets.resolve import resolve
from phasegate.workspace.locate import Workspace, Workspaces, relative, within

LINKED_RUNS = 256
"""Runs of one workspace that may be links."""

_CONTROL, _RUNS, _RUN, _NAME = range(4)
_WORKSPACES_KEPT = 256


@dataclass(frozen=True, slots=True)
class Placed:
    """A place, and the workspace it lies in; None when that is none."""

    place: Place
    workspace: Workspace | None = None


NOWHERE = Placed(Place())


@dataclass(frozen=True, slots=True)
class _Alias:
    """A real directory that stands for the place *rel* of a workspace."""

    real: str
    rel: str
    workspace: Workspace


class Placer:
    """Places targets. One for all calls; *view* is the call's own."""

    def __init__(self, workspaces: Workspaces, workflow: Workflow) -> None:
        self._workspaces = workspaces
        self._workflow = workflow
        self._linked: SignatureCache[str, tuple[str, ...]] = SignatureCache(_WORKSPACES_KEPT)

    def place(self, target: WriteTarget, near: Workspace, view: FileView) -> Placed:
        """The place of *target* for a call whose workspace is *near*.

        Both the real and the spelled path count; the one that says more wins (a link in
        an artifact's place is that artifact), the real one in doubt.
        """
        real = self.at(target.path, near, view)
        if target.lexical == target.path:
            return real
        spelled = self.at(target.lexical, near, view)
        return spelled if self._weight(spelled) > self._weight(real) else real

    def at(self, path: str, near: Workspace, view: FileView) -> Placed:
        """The place of the absolute, normal *path*."""
        path = self._workspaces.respelled(path, view)
        owner = self._workspaces.owner(path, view, near=near)
        known = {item.root: item for item in (near, owner) if item is not None}
        if owner is None:
            known.update({item.root: item for item in self._workspaces.served})
        aliases = (alias for item in known.values() for alias in self._aliases(item, view))
        alias = max(
            (alias for alias in aliases if within(path, alias.real)),
            key=lambda found: len(found.real),
            default=None,
        )
        if alias is not None:
            return self._placed(
                f"{alias.rel}/{relative(path, alias.real)}".rstrip("/"), alias.workspace, view
            )
        return NOWHERE if owner is None else self._placed(relative(path, owner.root), owner, view)

    def covered(self, directory: str, near: Workspace, view: FileView) -> tuple[tuple[Workspace, str], ...]:
        """Control-plane places that lie below *directory* though its own place does not show it.

        Pairs of workspace and path relative to it: whole control directories of
        workspaces further down, and what aliases bring there.
        """
        found: dict[tuple[str, str], tuple[Workspace, str]] = {}
        control = self._workflow.layout.control
        inside = self._workspaces.owner(directory, view, near=near) is not None
        # Below a workspace only those served by name are looked for, not the whole tree.
        others = self._workspaces.served if inside else self._workspaces.all(view)
        for workspace in (near, *others):
            places = [(alias.real, alias.rel) for alias in self._aliases(workspace, view)]
            for real, rel in ((f"{workspace.root}/{control}", control), *places):
                if within(real, directory):
                    found[workspace.root, rel] = (workspace, rel)
        return tuple(found.values())

    def _placed(self, rel: str, workspace: Workspace, view: FileView) -> Placed:
        parts = _Spelling(self._workflow, workspace, view).of(rel.split("/"))
        rel = "/".join(parts)
        layout = self._workflow.layout
        if len(parts) <= _RUN or parts[_CONTROL] != layout.control or parts[_RUNS] != layout.runs:
            return Placed(Place(workspace.name, rel), workspace)
        if len(parts) == _NAME and run_id_problem(parts[_RUN]) is not None:
            # A file beside the runs, such as one that keeps the directory in git.
            return Placed(Place(workspace.name, rel), workspace)
        run_rel = "/".join(parts[_NAME:])
        artifact = run_rel if run_rel in self._workflow.by_artifact else None
        return Placed(Place(workspace.name, rel, parts[_RUN], run_rel, artifact), workspace)

    def _aliases(self, workspace: Workspace, view: FileView) -> Iterator[_Alias]:
        layout = self._workflow.layout
        control = f"{workspace.root}/{layout.control}"
        status = view.lstat(control)
        if status is None:
            return
        if status.kind == "link":
            yield _Alias(resolve(view, "/", control).path, layout.control, workspace)
        runs = f"{control}/{layout.runs}"
        runs_rel = self._workflow.runs_path
        status = view.signature(runs)
        if status is not None and status.kind == "link":
            real = resolve(view, "/", runs).path
            yield _Alias(real, runs_rel, workspace)
            status = view.signature(real)
        if status is None or status.kind != "dir":
            return
        for name in self._linked_runs(runs, status):
            yield _Alias(resolve(view, "/", f"{runs}/{name}").path, f"{runs_rel}/{name}", workspace)

    def _linked_runs(self, runs: str, status: FileStat) -> tuple[str, ...]:
        """Names of the runs that are links; listed again only when the directory has changed."""
        signature = Signature(status.dev, status.ino, status.size, status.mtime_ns, status.ctime_ns)
        kept = self._linked.get(runs, signature)
        if kept is not None:
            return kept.value
        started = self._linked.now()
        names = linked_names(runs, LINKED_RUNS)
        if isinstance(names, Refused):
            raise FactsUnreadable(f"the directory of runs is {names.reason}")
        self._linked.put(runs, signature, names, started=started)
        return names

    def _weight(self, placed: Placed) -> int:
        """How much a place says."""
        place = placed.place
        if place.artifact is not None:
            return 4
        if place.run_id is not None:
            return 3
        if place.rel is None:
            return 0
        return 2 if within(place.rel, self._workflow.layout.control) else 1


class _Spelling:
    """The workspace's own spelling of a relative path, where the volume ignores letter case."""

    def __init__(self, workflow: Workflow, workspace: Workspace, view: FileView) -> None:
        self._workflow = workflow
        self._root = workspace.root
        self._view = view

    def of(self, parts: list[str]) -> list[str]:
        """*parts* as they are spelled on disk, as far as they lie in the control directory."""
        control = self._workflow.layout.control
        if parts[0].casefold() != control.casefold() or not self._folds():
            return parts
        spelled = [control]
        for depth, name in enumerate(parts[1:], 1):
            spelled.append(self._name(spelled, depth, name))
        return spelled

    def _folds(self) -> bool:
        """Whether another spelling of the control directory leads to the same directory."""
        control = self._workflow.layout.control
        one = self._view.lstat(f"{self._root}/{control}")
        other = self._view.lstat(f"{self._root}/{control.swapcase()}")
        return one is not None and other is not None and (one.dev, one.ino) == (other.dev, other.ino)

    def _name(self, above: list[str], depth: int, name: str) -> str:
        folded = name.casefold()
        in_run = depth >= _NAME and above[_RUNS] == self._workflow.layout.runs
        if depth == _NAME and in_run and folded in self._workflow.folded:
            return self._workflow.folded[folded]
        known = self._known(depth, in_run=in_run)
        for candidate in (*known, *(self._view.listdir("/".join((self._root, *above))) or ())):
            if candidate.casefold() == folded:
                return candidate
        return name

    def _known(self, depth: int, *, in_run: bool) -> tuple[str, ...]:
        """Names that the layout knows at this depth, whether they exist or not."""
        layout = self._workflow.layout
        if depth == _NAME and in_run:
            return (layout.locks, layout.read_receipts, layout.addenda, layout.evidence)
        return (layout.runs, layout.config, *layout.planes.values()) if depth == 1 else ()
