"""The reading of one call: what has been read already, and what could not be."""

from __future__ import annotations

from dataclasses import dataclass

from phasegate.core.call import ToolCall
from phasegate.core.facts import RunFacts
from phasegate.core.ports import FileView
from phasegate.core.runid import run_id_problem
from phasegate.errors import FactsUnreadable
from phasegate.workspace.locate import Workspace
from phasegate.workspace.shared import RunReader


@dataclass(frozen=True, slots=True)
class RunRead:
    """One run that a call's facts rest on, and what was read of it; *receipts*: its read receipts too."""

    workspace: Workspace
    run_id: str
    receipts: bool
    facts: RunFacts


class Gathering:
    """Reads each run once, so that one call sees one state of it.

    *workspace* is the call's own; *served* the one served by name that it was found
    below, where a run is looked for that a derived workspace does not have.
    `bound_problem` says why the call's run id can't be one; None also when it has none.
    """

    def __init__(
        self, call: ToolCall, workspace: Workspace, served: Workspace, view: FileView, runs: RunReader
    ) -> None:
        self.call = call
        self.workspace = workspace
        self.view = view
        self.bound_problem = None if call.run_id is None else run_id_problem(call.run_id)
        self._served = served
        self._runs = runs
        self._read: dict[tuple[str, str], RunRead] = {}
        self._receipts: set[tuple[str, str]] = set()
        self._unreadable: dict[str, None] = {}

    @property
    def unreadable(self) -> tuple[str, ...]:
        return tuple(self._unreadable)

    @property
    def runs_read(self) -> tuple[RunRead, ...]:
        return tuple(self._read.values())

    def note(self, reason: str) -> None:
        """Keep that some evidence exists and could not be read."""
        self._unreadable[reason] = None

    def want_receipts(self, workspace: Workspace, run_id: str) -> None:
        """Say, before the run is read, that its read receipts are needed too."""
        self._receipts.add((workspace.root, run_id))

    def run(self, workspace: Workspace, run_id: str) -> RunFacts:
        """The run's facts; the same object at each question."""
        key = (workspace.root, run_id)
        read = self._read.get(key)
        if read is None:
            receipts = key in self._receipts
            reading = self._runs.facts(workspace, run_id, receipts=receipts)
            for reason in reading.unreadable:
                self.note(reason)
            read = self._read[key] = RunRead(workspace, run_id, receipts, reading.facts)
        return read.facts

    def home(self, run_id: str) -> Workspace:
        """The workspace that a run named by its id alone is in.

        From a derived workspace that lacks it, the served one: going into a directory
        that has a control directory of its own must not unbind a session.
        """
        if self.workspace.root == self._served.root or self.run(self.workspace, run_id).exists:
            return self.workspace
        return self._served if self.run(self._served, run_id).exists else self.workspace

    def path(self, workspace: Workspace, run_id: str) -> str:
        return self._runs.path(workspace, run_id)

    def bound_id(self) -> str | None:
        """The id of the run that the session is bound to, if it can be one."""
        return self.call.run_id if self.bound_problem is None else None

    def fallback(self) -> str | None:
        """The run of a request that names none: the bound one, else the newest, else None."""
        bound = self.bound_id()
        if bound is not None:
            return bound
        try:
            return self._runs.newest(self.workspace)
        except FactsUnreadable as error:
            self.note(error.detail)
            return None
