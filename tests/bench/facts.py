"""Facts re-validated with nothing changed, in microseconds: twelve artifacts, and 1 to 10,000 runs.

Processor time, which a busy machine does not distort. Run: `.venv/bin/python tests/bench/facts.py [RUNS ...]`

"run" is one run with artifacts, lock receipts and read receipts checked again by their
signatures. "snapshot" is `Snapshots.facts` for a write into that run, with a new view,
the target already resolved by it. "call" adds finding the workspace, the policy and the
target's real path. "newest" is the look at every run that a lock naming none costs.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from phasegate.core.call import Effect, Extraction, ToolCall, WriteTarget
from phasegate.files.view import DiskView
from phasegate.targets.resolve import resolve
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.runs import Runs
from phasegate.workspace.snapshot import Snapshots
from support.facts import BUILTIN, WORKFLOW
from support.workload import ACTIVE, RUN, build_workspace

ROUNDS, EACH = 7, 500
RUN_COUNTS = (1, 100, 1_000, 10_000)
GOAL = 80


class Bench:
    """Readers over one workspace."""

    def __init__(self, root: Path) -> None:
        self.root = str(root.resolve())
        self.operand = f"{WORKFLOW.runs_path}/{RUN}/{ACTIVE}"
        self.call = ToolCall("write", cwd=self.root, run_id=RUN)
        self.workspaces = Workspaces([Workspace("w", self.root)])
        self.runs = Runs(WORKFLOW)
        self.snapshots = Snapshots(self.workspaces, WORKFLOW, self.runs)
        self.policies = PolicyFiles(BUILTIN)

    def prepared(self) -> tuple[Workspace, Extraction, DiskView]:
        view = DiskView()
        workspace = self.workspaces.locate(None, self.root, view)
        found = resolve(view, self.root, self.operand)
        target = WriteTarget(found.path, found.lexical, self.operand, "write")
        return workspace, Extraction(Effect.WRITE, "write", known=True, targets=(target,)), view

    def run(self) -> float:
        workspace = self.workspaces.served[0]
        return microseconds(lambda: self.runs.facts(workspace, RUN, receipts=True))

    def snapshot(self) -> float:
        times = []
        for _ in range(ROUNDS):
            ready = [self.prepared() for _ in range(EACH)]
            start = time.process_time()
            for workspace, extraction, view in ready:
                self.snapshots.facts(self.call, workspace, extraction, BUILTIN, view)
            times.append((time.process_time() - start) / EACH * 1e6)
        return statistics.median(times)

    def whole(self) -> float:
        def once() -> None:
            workspace, extraction, view = self.prepared()
            self.snapshots.facts(self.call, workspace, extraction, self.policies.policy(workspace), view)

        return microseconds(once)

    def newest(self) -> float:
        return microseconds(lambda: self.runs.newest(self.workspaces.served[0]), 3)


def microseconds(work: Callable[[], object], each: int = EACH) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(each):
            work()
        times.append((time.process_time() - start) / each * 1e6)
    return statistics.median(times)


def settle(bench: Bench) -> None:
    """Let the files' times grow old enough to be believed, and have everything read once more."""
    for _ in range(3):
        bench.whole()
        time.sleep(0.05)


def main() -> None:
    counts = [int(arg) for arg in sys.argv[1:]] or RUN_COUNTS
    print(f"{'runs':>8}{'run':>10}{'snapshot':>12}{'call':>10}{'newest':>12}   goal for the run: {GOAL} us")
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        build_workspace(root)
        for count in counts:
            for index in range(1, count):
                (root / WORKFLOW.runs_path / f"run-{index}").mkdir(exist_ok=True)
            bench = Bench(root)
            settle(bench)
            figures = bench.run(), bench.snapshot(), bench.whole(), bench.newest()
            print(
                f"{count:8}"
                + "".join(f"{figure:{w}.1f}" for figure, w in zip(figures, (10, 12, 10, 12), strict=True))
            )
            bench.runs.close()


if __name__ == "__main__":
    main()
