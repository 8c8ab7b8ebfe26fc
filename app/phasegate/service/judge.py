"""From a call to its decision: workspace, policy, targets, facts, engine. Reads, and writes nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from phasegate.core.call import Effect, Extraction, ToolCall
from phasegate.core.engine import decide
from phasegate.core.facts import Facts
from phasegate.core.policy import Policy
from phasegate.core.ports import FileView, ShellParser
from phasegate.core.values import value
from phasegate.core.verdict import Decision
from phasegate.errors import FactsUnreadable
from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView, Looks
from phasegate.service.recall import Evidence, Key, Recall, Standing, key_of
from phasegate.targets.carried import is_declared, without_carried_text
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.workspace.gathering import RunRead
from phasegate.workspace.locate import Workspace, Workspaces, within
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.runs import Runs
from phasegate.workspace.shared import Moment, RunReader
from phasegate.workspace.snapshot import Snapshots

logger = logging.getLogger("phasegate")
_NOTHING = Extraction(Effect.OTHER, "", known=False)


@value(frozen=True, slots=True)
class Judged:
    """A decision with everything that went into it. `standing`: what it was, or can be, given again by."""

    call: ToolCall
    workspace: Workspace
    policy: Policy
    facts: Facts
    decision: Decision
    standing: Standing | None = None


class ParserNeeded(Exception):
    """A command text was met that only a process can parse."""


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A shell parser for the event loop: what would start a process is refused with `ParserNeeded`."""

    parser: ShfmtParser

    def parse(self, text: str) -> Mapping[str, Any] | None:
        if not self.parser.at_once(text):
            raise ParserNeeded
        return self.parser.parse(text)


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides calls on the evidence of this moment."""

    workspaces: Workspaces
    policies: PolicyFiles
    runs: Runs
    snapshots: Snapshots
    parser: ShfmtParser
    builtin: Policy
    recall: Recall
    new_view: Callable[[Looks], DiskView]
    failed: Callable[[], None]

    def judge(
        self, call: ToolCall, *, traced: bool = False, at_once: bool = False, moment: Moment | None = None
    ) -> Judged:
        """Decide *call*, which had come by *moment*, or just now.

        Raises `WorkspaceNotServed` or `WorkspaceRequired`; with *at_once* also
        `ParserNeeded`, where the answer would have to wait for a process.
        """
        moment = moment or self.moment()
        parser: ShellParser = AtOnce(self.parser) if at_once else self.parser
        args = without_carried_text(call.tool, call.args)
        key = None if traced else key_of(call, args)
        standing = None if key is None else self.recall.find(key, moment)
        if standing is not None:
            known = standing.evidence
            return Judged(call, known.workspace, known.policy, standing.facts, standing.decision, standing)
        return self._judge(call, key, parser, moment, carries=args is not call.args, traced=traced)

    def moment(self) -> Moment:
        """Begin to look at the disk, for calls that are there already."""
        return Moment(self.runs, self.policies)

    def _judge(
        self,
        call: ToolCall,
        key: Key | None,
        parser: ShellParser,
        moment: Moment,
        *,
        carries: bool,
        traced: bool,
    ) -> Judged:
        """Judge *call*, and remember that for *key*. *carries*: some text of the call is not in the key."""
        view = self.new_view(moment.looks)
        workspace = self.workspaces.locate(call.workspace, call.cwd, view)
        policy = moment.policy(workspace)
        facts, runs = self._facts(call, workspace, policy, view, parser, moment)
        owners = self._owners(facts, view)
        decision = decide(call, facts, policy, owners=owners, traced=traced)
        standing = None
        if key is not None and runs is not None and not owners and (facts.targets or not carries):
            carries = carries and is_declared(call.tool, policy.tools)
            seen = view.observed() if not carries and self.recall.is_known(key) else None
            if seen is not None:
                evidence = Evidence(workspace, policy, seen, runs)
                standing = self.recall.keep(key, evidence, facts, decision, started=moment.began)
        return Judged(call, workspace, policy, facts, decision, standing)

    def _owners(self, facts: Facts, view: FileView) -> Mapping[str, Policy]:
        """The policies of the other served workspaces that the call reaches into."""
        names = {item.workspace for item in facts.targets} - {None, facts.workspace}
        return {name: self.policies.policy(self.workspaces.by_name(name, view)) for name in names if name}

    def extraction(self, call: ToolCall) -> tuple[Extraction, Workspace]:
        """What *call* would touch; raises as `judge` does, and `FactsUnreadable`."""
        view = self.new_view(Looks())
        workspace = self.workspaces.locate(call.workspace, call.cwd, view)
        policy = self.policies.policy(workspace)
        return self._extract(call, workspace, policy, view, self.parser), workspace

    def reach(self, call: ToolCall) -> tuple[Workspace | None, list[str]]:
        """The workspace that *call* is the business of, None for nobody's, and the paths it would change."""
        if call.workspace is None and not self.is_at_home(call):
            owner = self.owner(call)
            if owner is None:
                return None, []
            call = replace(call, workspace=owner.root)
        extraction, workspace = self.extraction(call)
        return workspace, [target.path for target in extraction.targets]

    def is_at_home(self, call: ToolCall) -> bool:
        """Whether *call* comes from a served directory, or does not say from where."""
        return call.cwd is None or self.workspaces.serves(call.cwd, self.new_view(Looks()))

    def owner(self, call: ToolCall) -> Workspace | None:
        """Whose business a call from a directory that is not served is; None when it is nobody's here.

        It is that of the workspace of the first thing it names in a served one: leaving
        the workspace must not open it. Nor must it open the guard's own files, which lie
        outside of all; there any workspace will do.
        """
        view = self.new_view(Looks())
        nobody = Workspace("", call.cwd or "/")
        named: list[str] = []
        try:
            found = self._extract(call, nobody, self.builtin, view, self.parser)
            named += [target.path for target in found.targets]
            for reason in found.opaque:
                named += (*reason.words, *reason.cwds, *reason.destroys)
            owners = (self.workspaces.owner(path, view) for path in named)
            owner = next((owner for owner in owners if owner is not None), None)
            if owner is None and any(self.snapshots.guards(target, view) for target in found.targets):
                owner = self._any_workspace()
        except FactsUnreadable:
            return self._mentioned(call, named)
        return owner

    def _mentioned(self, call: ToolCall, named: Sequence[str]) -> Workspace | None:
        """The workspace that a call is about, going by its words: where it leads can't be found out."""
        served = self.workspaces.served
        owner = next((item for item in served if any(within(path, item.root) for path in named)), None)
        if owner is not None:
            return owner
        text = orjson.dumps(dict(call.args), option=orjson.OPT_NON_STR_KEYS).decode()
        owner = next((item for item in served if item.root in text), None)
        if owner is None and self.builtin.workflow.layout.control in text:
            return self._any_workspace()
        return owner

    def _any_workspace(self) -> Workspace | None:
        return next(iter(self.workspaces.served or self.workspaces.all()), None)

    def _facts(
        self,
        call: ToolCall,
        workspace: Workspace,
        policy: Policy,
        view: DiskView,
        parser: ShellParser,
        runs: RunReader,
    ) -> tuple[Facts, tuple[RunRead, ...] | None]:
        """The evidence, and the runs that it rests on if it rests on those and names alone.

        What stands in its way becomes `unreadable`, which the engine denies or warns on.
        """
        extraction = _NOTHING
        try:
            extraction = self._extract(call, workspace, policy, view, parser)
            return self.snapshots.witnessed(call, workspace, extraction, policy, view, runs)
        except ParserNeeded:
            raise
        except FactsUnreadable as error:
            problem = error.detail
        except Exception as error:  # (a defect of ours must deny or warn, and be seen)
            self.failed()
            logger.exception("judging a call failed")
            problem = f"the call could not be read ({type(error).__name__})"
        return Facts(workspace.name, workspace.root, extraction, unreadable=(problem,)), None

    def _extract(
        self,
        call: ToolCall,
        workspace: Workspace,
        policy: Policy,
        view: FileView,
        parser: ShellParser,
    ) -> Extraction:
        request = ExtractRequest(
            tool=call.tool,
            args=call.args,
            cwd=call.cwd or workspace.root,
            root=workspace.root,
            workflow=policy.workflow,
            tools=policy.tools,
        )
        return extract(request, view, parser)
