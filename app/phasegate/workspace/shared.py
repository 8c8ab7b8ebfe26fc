"""What several calls may read together: all that is read after the last of them has come."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

from phasegate.core.policy import Policy
from phasegate.files.view import Looks
from phasegate.workspace.locate import Workspace
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.runs import RunReading, Runs


class RunReader(Protocol):
    """Runs as one call reads them; see `Runs`."""

    def facts(self, workspace: Workspace, run_id: str, *, receipts: bool = False) -> RunReading: ...
    def newest(self, workspace: Workspace) -> str | None: ...
    def path(self, workspace: Workspace, run_id: str) -> str: ...


@dataclass(slots=True)
class Moment:
    """The disk as it is looked at from some moment on: each name, run and policy once.

    For calls that had come by then, and for one thread; not for longer than it takes to
    judge them. `began`: when, monotonic, in ns. `held`: values of others that were found
    to hold.
    """

    runs_now: Runs
    policies: PolicyFiles
    began: int = field(default_factory=time.monotonic_ns)
    looks: Looks = field(default_factory=Looks)
    held: set[object] = field(default_factory=set)
    _readings: dict[tuple[str, str, bool], RunReading] = field(default_factory=dict)
    _newest: dict[str, str | None] = field(default_factory=dict)
    _policies: dict[str, Policy] = field(default_factory=dict)

    def policy(self, workspace: Workspace) -> Policy:
        """The policy in force in *workspace*. Never raises."""
        found = self._policies.get(workspace.policy_root)
        if found is None:
            found = self._policies[workspace.policy_root] = self.policies.policy(workspace)
        return found

    def facts(self, workspace: Workspace, run_id: str, *, receipts: bool = False) -> RunReading:
        key = (workspace.root, run_id, receipts)
        found = self._readings.get(key)
        if found is None:
            found = self._readings[key] = self.runs_now.facts(workspace, run_id, receipts=receipts)
        return found

    def newest(self, workspace: Workspace) -> str | None:
        if workspace.root not in self._newest:
            self._newest[workspace.root] = self.runs_now.newest(workspace)
        return self._newest[workspace.root]

    def path(self, workspace: Workspace, run_id: str) -> str:
        return self.runs_now.path(workspace, run_id)
