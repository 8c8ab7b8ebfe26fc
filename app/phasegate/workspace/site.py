"""One workspace, with everything an operation on its runs needs from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from phasegate.core.reading import MemoryReading, MemoryRequest, PromotionReading, PromotionRequest
from phasegate.core.runid import run_id_problem
from phasegate.core.sealing import SealKey
from phasegate.core.workflow import Workflow
from phasegate.errors import InvalidRequest, RunNotFound, WorkspaceNotServed
from phasegate.files.directory import Directory, Entry
from phasegate.files.runlock import DEFAULT_TIMEOUT, locked
from phasegate.files.write import sweep
from phasegate.workspace.pending import finish
from phasegate.workspace.templates import RunTemplates

RUN_LIMIT = 10_000
Shown = tuple[tuple[str, str], ...]
"""Pairs of a phase and the source of a memory document that was shown in it."""

_SHOWN = 120


def utc_now() -> str:
    """The time of a lock: UTC, in seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Site:
    """`root` is the workspace's real path. `timeout` bounds the wait for a run's lock, in seconds.

    `read_memory` selects and renders memory for a phase; `promoted` says whether a run
    has put what it learned into the memory plane. Both read the disk, neither writes.
    `seal_locks`: put a keyed seal beside every lock receipt. `entry_every_phase`: a phase
    must have been entered before its artifact is locked, with a receipt that is fresh by
    `plane_digest` and, if `sealed_only`, sealed. `settle` counts what a closed run was
    shown, and returns what it had not counted before.
    """

    root: str
    workflow: Workflow
    templates: RunTemplates
    key: SealKey
    read_memory: Callable[[MemoryRequest], MemoryReading]
    promoted: Callable[[PromotionRequest], PromotionReading]
    now: Callable[[], str] = utc_now
    timeout: float = DEFAULT_TIMEOUT
    seal_locks: bool = False
    entry_every_phase: bool = False
    sealed_only: bool = False
    plane_digest: Callable[[], str] | None = None
    settle: Callable[[str, Shown], Shown] | None = None

    def open(self) -> Directory:
        """The workspace's directory; raises `WorkspaceNotServed` when it is gone."""
        try:
            return Directory.open_root(self.root)
        except FileNotFoundError as error:
            raise WorkspaceNotServed("the workspace's directory does not exist") from error


@dataclass(frozen=True, slots=True)
class HeldRun:
    """A run whose lock is held. `finished` names files of an interrupted operation that were completed."""

    directory: Directory
    run_id: str
    finished: tuple[str, ...] = ()


@contextmanager
def held_run(site: Site, run_id: str | None) -> Iterator[HeldRun]:
    """Hold the lock of a run (None: the newest), after completing what a killed process left undone.

    Raises `InvalidRequest`, `RunNotFound`, `RunBusy`, or `FileRefused` for a linked run.
    """
    with site.open() as root:
        name = newest_run(root, site.workflow) if run_id is None else checked_run_id(run_id)
        try:
            with locked(root, f"{site.workflow.runs_path}/{name}", timeout=site.timeout) as directory:
                sweep(directory)
                sweep(directory, site.workflow.layout.locks)
                yield HeldRun(directory, name, finish(directory, site.workflow.layout, name, site.key))
        except FileNotFoundError as error:
            raise RunNotFound(
                f"there is no run `{name}`", remedy=f"start it (`phasegate run start {name}`)"
            ) from error


def checked_run_id(run_id: str) -> str:
    """*run_id* without surrounding blanks; raises `InvalidRequest` naming what is wrong with it."""
    name = run_id.strip()
    problem = run_id_problem(name)
    if problem:
        raise InvalidRequest(
            f"`{run_id[:_SHOWN]}` can't name a run: {problem}",
            remedy="use letters, digits, `.`, `_` and `-`",
            errors=[{"loc": ["run_id"], "msg": problem}],
        )
    return name


def newest_run(root: Directory, workflow: Workflow) -> str:
    """The run whose directory changed last; raises `RunNotFound` when there is none."""
    runs = list_runs(root, workflow)
    if not runs:
        raise RunNotFound("the workspace has no run", remedy="start one (`phasegate run start RUN`)")
    return max(runs, key=lambda entry: (entry.signature.mtime_ns, entry.name)).name


def list_runs(root: Directory, workflow: Workflow) -> tuple[Entry, ...]:
    """The runs of a workspace in byte order. Links and names that no run may have are left out."""
    try:
        with root.below(workflow.runs_path) as directory:
            entries, _ = directory.entries(RUN_LIMIT)
    except FileNotFoundError:
        return ()
    return tuple(entry for entry in entries if entry.kind == "dir" and run_id_problem(entry.name) is None)
