"""What a copy, a move, a link or an archive would put in place.

A directory prepared elsewhere may hold what no tool may write: a policy, lock receipts,
read receipts, a document that says it is locked. Its path says nothing of that.
"""

from __future__ import annotations

from phasegate.core.call import WriteTarget
from phasegate.core.ports import FileView
from phasegate.core.runid import run_id_problem
from phasegate.core.workflow import Workflow
from phasegate.workspace.coverage import Coverage, Covered
from phasegate.workspace.locate import Workspace, relative, within
from phasegate.workspace.placing import Placed
from phasegate.workspace.reach import Reach
from phasegate.workspace.seals import TextReading, text_at

_ARRIVING = frozenset(("write", "move_to"))
_DOCUMENT = ".md"


class Arrivals:
    """Looks at what is to come before it is there."""

    def __init__(self, workflow: Workflow, reach: Reach, coverage: Coverage) -> None:
        layout = workflow.layout
        self._reach = reach
        self._coverage = coverage
        self._control = layout.control
        self._config = f"{layout.control}/{layout.config}"
        self._policy = f"{layout.control}/{layout.policy}"
        self._runs = workflow.runs_path

    def may_be_tree(self, target: WriteTarget, placed: Placed) -> bool:
        """Whether a directory, or a link to one, might come to stand in the control plane."""
        if target.op not in _ARRIVING:
            return False
        rel = placed.place.rel
        return target.recursive or (
            target.source is not None and rel is not None and within(rel, self._control)
        )

    def adds_only(self, target: WriteTarget, placed: Placed) -> bool:
        """Whether what already lies below the target stays, but for what the tree at its source overwrites."""
        rel = placed.place.rel
        inside = rel is not None and within(rel, self._control)
        return target.op == "write" and target.source is not None and not inside

    def overwritten(self, target: WriteTarget, placed: Placed, near: Workspace, view: FileView) -> Covered:
        """What the tree at the target's source would overwrite, and which guard files it would bring.

        Passes on what *view* raises.
        """
        found = Covered()
        rel = placed.place.rel
        if rel == self._config:
            found.guarded.append(self._policy)
        status = None if target.source is None else view.lstat(target.source)
        if target.source is not None and status is not None and status.kind == "dir":
            for workspace, below in self._reach.planes_below(target.path, near, view):
                real = f"{workspace.root}/{below}".rstrip("/")
                inner = f"/{relative(real, target.path)}" if within(real, target.path) else ""
                part = self._coverage.below(below, workspace, (target.source + inner).rstrip("/"))
                found.sealed += part.sealed
                found.guarded += part.guarded
                found.unreadable += part.unreadable
        elif target.recursive and rel is not None and self._is_root(rel) and view.lstat(target.path) is None:
            found.guarded.append(rel)
        return found

    def text(self, target: WriteTarget, placed: Placed) -> TextReading | None:
        """The document that would come to stand in a run, or None where there is no such thing."""
        name = placed.place.run_rel
        if target.source is None or target.op not in _ARRIVING or not name or not name.endswith(_DOCUMENT):
            return None
        return text_at(target.source)

    def _is_root(self, rel: str) -> bool:
        """Whether *rel* is the control directory, the directory of runs, or a run."""
        run = rel.removeprefix(self._runs + "/")
        return rel in (self._control, self._runs) or (run != rel and run_id_problem(run) is None)
