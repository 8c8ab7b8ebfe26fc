"""From a call to its decision: workspace, policy, targets, facts, engine. Reads, and writes nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from phasegate.core.call import Effect, Extraction, ToolCall
from phasegate.core.engine import decide
from phasegate.core.facts import Facts
from phasegate.core.policy import Policy
from phasegate.core.ports import FileView, ShellParser
from phasegate.core.verdict import Decision
from phasegate.errors import FactsUnreadable
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.snapshot import Snapshots

logger = logging.getLogger("phasegate")
AT_HOME = Workspace("", "")
_NOTHING = Extraction(Effect.OTHER, "", known=False)


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision with everything that went into it."""

    call: ToolCall
    workspace: Workspace
    policy: Policy
    facts: Facts
    decision: Decision


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides calls on the evidence of this moment."""

    workspaces: Workspaces
    policies: PolicyFiles
    snapshots: Snapshots
    parser: ShellParser
    builtin: Policy
    new_view: Callable[[], FileView]
    failed: Callable[[], None]

    def judge(self, call: ToolCall, *, traced: bool = False) -> Judged:
        """Decide *call*.

        Raises `WorkspaceNotServed` or `WorkspaceRequired`; nothing else.
        """
        view = self.new_view()
        workspace = self.workspaces.locate(call.workspace, call.cwd, view)
        policy = self.policies.policy(workspace)
        facts = self._facts(call, workspace, policy, view)
        owners = self._owners(facts, view)
        decision = decide(call, facts, policy, owners=owners, traced=traced)
        return Judged(call, workspace, policy, facts, decision)

    def _owners(self, facts: Facts, view: FileView) -> Mapping[str, Policy]:
        """The policies of the other served workspaces that the call reaches into."""
        names = {item.workspace for item in facts.targets} - {None, facts.workspace}
        return {name: self.policies.policy(self.workspaces.by_name(name, view)) for name in names if name}

    def extraction(self, call: ToolCall) -> tuple[Extraction, Workspace]:
        """What *call* would touch; raises as `judge` does, and `FactsUnreadable`."""
        view = self.new_view()
        workspace = self.workspaces.locate(call.workspace, call.cwd, view)
        return self._extract(call, workspace, self.policies.policy(workspace), view), workspace

    def owner(self, call: ToolCall) -> Workspace | None:
        """Whose business a call from *call*'s directory is: `AT_HOME` when that is served.

        Else the workspace of the first thing it names in a served one, or None: leaving
        the workspace must not open it.
        """
        view = self.new_view()
        cwd = call.cwd or "/"
        if self.workspaces.serves(cwd, view):
            return AT_HOME
        nobody = Workspace("", cwd)
        try:
            found = self._extract(call, nobody, self.builtin, view)
            named = [target.path for target in found.targets]
            for reason in found.opaque:
                named += (*reason.words, *reason.cwds, *reason.destroys)
            owners = (self.workspaces.owner(path, view) for path in named)
            return next((owner for owner in owners if owner is not None), None)
        except FactsUnreadable:
            return AT_HOME

    def _facts(self, call: ToolCall, workspace: Workspace, policy: Policy, view: FileView) -> Facts:
        """The evidence; what stands in its way becomes `unreadable`, which the engine denies or warns on."""
        extraction = _NOTHING
        try:
            extraction = self._extract(call, workspace, policy, view)
            return self.snapshots.facts(call, workspace, extraction, policy, view)
        except FactsUnreadable as error:
            problem = error.detail
        except Exception as error:  # (a defect of ours must deny or warn, and be seen)
            self.failed()
            logger.exception("judging a call failed")
            problem = f"the call could not be read ({type(error).__name__})"
        return Facts(workspace.name, workspace.root, extraction, unreadable=(problem,))

    def _extract(self, call: ToolCall, workspace: Workspace, policy: Policy, view: FileView) -> Extraction:
        request = ExtractRequest(
            tool=call.tool,
            args=call.args,
            cwd=call.cwd or workspace.root,
            root=workspace.root,
            workflow=policy.workflow,
            tools=policy.tools,
        )
        return extract(request, view, self.parser)
