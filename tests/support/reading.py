"""A workspace on disk and the readers over it, for tests of facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasegate.core.call import Effect, Extraction, LockRequest, ToolCall, WriteTarget
from phasegate.core.facts import Facts, RunFacts, TargetFacts
from phasegate.core.policy import Policy
from phasegate.files.read import TICK_NS, watch_opens
from phasegate.files.view import DiskView
from phasegate.targets.resolve import resolve
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.runs import Runs
from phasegate.workspace.snapshot import Snapshots
from support.facts import BUILTIN, WORKFLOW

RUNS = WORKFLOW.runs_path


class Steps:
    """A clock that moves by two ticks each time it is read, so that nothing has to be waited for."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        self.now += 2 * TICK_NS
        return self.now


class Reader:
    """Workspaces, runs and snapshots over the directory *root* (and *others*, by name)."""

    def __init__(self, root: Path, *, tree: Path | None = None, **others: Path) -> None:
        named = [Workspace("w", str(root)), *(Workspace(name, str(path)) for name, path in others.items())]
        self.root = root.resolve()
        self.workspaces = Workspaces([] if tree else named, str(tree) if tree else None)
        self.runs = Runs(WORKFLOW, clock=Steps())
        self.snapshots = Snapshots(self.workspaces, WORKFLOW, self.runs)

    @property
    def workspace(self) -> Workspace:
        return self.workspaces.locate(str(self.root), None)

    def facts(self, *operands: str, policy: Policy = BUILTIN, cwd: Path | None = None, **more: Any) -> Facts:
        """The facts of a call that writes to *operands*, relative to the working directory."""
        view = DiskView()
        here = str(cwd or self.root)
        op = more.pop("op", "write")
        write = {key: more.pop(key) for key in ("change", "recursive") if key in more}
        resolved = [(operand, resolve(view, here, operand)) for operand in operands]
        targets = tuple(
            WriteTarget(found.path, found.lexical, operand, op, **write) for operand, found in resolved
        )
        call = ToolCall(
            "write", cwd=here, **{key: more.pop(key) for key in ("run_id", "workspace") if key in more}
        )
        effect = more.pop("effect", Effect.WRITE)
        extraction = Extraction(effect, "write", known=True, targets=targets, **more)
        workspace = self.workspaces.locate(call.workspace, here, view)
        return self.snapshots.facts(call, workspace, extraction, policy, view)

    def target(self, operand: str, **more: Any) -> TargetFacts:
        return self.facts(operand, **more).targets[0]

    def lock(self, artifact: str | None, named: str | None = None, **more: Any) -> Facts:
        """The facts of a call that locks *artifact* of the run *named*; `run_id` is the bound one."""
        request = LockRequest(
            artifact, named, **{k: more.pop(k) for k in ("reopen", "run_id_malformed") if k in more}
        )
        return self.facts(effect=Effect.LOCK, locks=(request,), **more)


def statuses(facts: RunFacts, *names: str) -> list[str]:
    return [facts.artifacts[name].status for name in names]


def ask(runs: Runs, workspace: Workspace, run_id: str = "r1", **more: Any) -> RunFacts:
    return runs.facts(workspace, run_id, **more).facts


def settle(runs: Runs, workspace: Workspace, run_id: str = "r1") -> None:
    """Ask until nothing has to be read any more."""
    for _ in range(4):
        with watch_opens() as opened:
            ask(runs, workspace, run_id, receipts=True)
        if not opened:
            return
    raise AssertionError(f"still reading {opened}")
