"""What a run's locks rest on: what blocks what, which locks have gone stale, what their seals say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from phasegate.core.ordering import lock_blockers
from phasegate.core.verdict import Blocker
from phasegate.core.workflow import Workflow
from phasegate.errors import FileRefused
from phasegate.files.read import Content
from phasegate.workspace.lock_receipts import ChainProblem
from phasegate.workspace.lock_seals import seal_fault
from phasegate.workspace.run_state import RunState, read_lock_receipts, read_state
from phasegate.workspace.site import Site, checked_run_id


@dataclass(frozen=True, slots=True)
class StaleLock:
    """A lock made on a text that has changed: `cites` is that earlier artifact."""

    artifact: str
    cites: str
    reason: str


@dataclass(frozen=True, slots=True)
class RunView:
    """`blockers`: for each artifact that is not locked, the earlier ones in its way."""

    blockers: Mapping[str, tuple[Blocker, ...]]
    stale: tuple[StaleLock, ...]
    complete: bool


def view_run(site: Site, run_id: str) -> RunView:
    """Read the run now and say what blocks what. A run that is gone or a link is not looked into."""
    name = checked_run_id(run_id)
    try:
        with site.open() as root, root.below(f"{site.workflow.runs_path}/{name}") as run:
            return describe(read_state(run, name, site.workflow), site.workflow)
    except (FileNotFoundError, FileRefused):
        return RunView({}, (), complete=False)


def seal_problems(site: Site, run_id: str) -> tuple[ChainProblem, ...]:
    """What the keyed seals, where there are any, say against the lock receipts of the run."""
    name = checked_run_id(run_id)
    locks = site.workflow.layout.locks
    found: list[ChainProblem] = []
    try:
        with site.open() as root, root.below(f"{site.workflow.runs_path}/{name}") as run:
            receipts = read_lock_receipts(run, site.workflow)
            for phase in site.workflow.phases:
                outcome = receipts[phase.artifact]
                data = outcome.data if isinstance(outcome, Content) else None
                problem = seal_fault(run, f"{locks}/{phase.stem}", name, data, site.key)
                if problem:
                    detail = f"the lock receipt of `{phase.artifact}`: {problem}"
                    found.append(ChainProblem(phase.artifact, "seal-mismatch", detail))
    except (FileNotFoundError, FileRefused):
        return ()
    return tuple(found)


def describe(state: RunState, workflow: Workflow) -> RunView:
    """The view of a run that was read."""
    artifacts = state.facts.artifacts
    open_ones = [name for name in workflow.artifacts if artifacts[name].status != "LOCKED"]
    return RunView(
        blockers={name: lock_blockers(state.facts, workflow, name) for name in open_ones},
        stale=tuple(_stale(state, workflow)),
        complete=not open_ones,
    )


def _stale(state: RunState, workflow: Workflow) -> list[StaleLock]:
    hashes = state.hashes
    found: list[StaleLock] = []
    for name in workflow.artifacts:
        facts = state.facts.artifacts[name]
        reading = state.receipts.get(name)
        if facts.sealed and reading is None:
            found.append(
                StaleLock(name, "", "its lock receipt is missing: something it rests on was reopened")
            )
        for cited, digest in (
            sorted(reading.receipt.prerequisite_hashes.items()) if reading and reading.receipt else ()
        ):
            if hashes.get(cited) != digest.lower():
                state_word = "is gone" if hashes.get(cited) is None else "has changed since"
                found.append(
                    StaleLock(name, cited, f"it was locked after `{cited[:100]}`, which {state_word}")
                )
    return found
