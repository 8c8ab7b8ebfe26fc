"""The facts of one call: everything its decision may look at, read now, and no more.

The order of the work: place the targets by name, ask which facts the rules need for
them, read exactly those. Nothing here raises for what is on disk: evidence that exists
and can't be read goes into `Facts.unreadable`, which strict mode denies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from phasegate.core.call import ContentChange, Extraction, OpaqueReason, ToolCall, WriteTarget
from phasegate.core.facts import Facts, FactsNeeded, OpaqueFacts, TargetFacts, facts_needed
from phasegate.core.hook_entry import may_switch
from phasegate.core.policy import Policy
from phasegate.core.ports import FileView
from phasegate.core.workflow import Workflow
from phasegate.errors import FactsUnreadable
from phasegate.workspace.arrivals import Arrivals
from phasegate.workspace.coverage import Coverage, Covered
from phasegate.workspace.gathering import Gathering, RunRead
from phasegate.workspace.identity import Identities
from phasegate.workspace.locate import Workspace, Workspaces, within
from phasegate.workspace.lock_facts import LockReader
from phasegate.workspace.placing import NOWHERE, Placed, Placer
from phasegate.workspace.reach import Reach
from phasegate.workspace.runs import Runs
from phasegate.workspace.seals import Seals, text_at
from phasegate.workspace.shared import RunReader

_SHOWN = 60


class Snapshots:
    """Reads facts for calls. One for the life of a service; thread-safe.

    *guard_paths*: absolute paths of the service's own files, with what each is (an
    ending of "which is ..."). *hook_files*: ends of paths at which runtimes keep their
    configuration; such a file is guarded while its text holds *hook_mark*.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        workflow: Workflow,
        runs: Runs,
        *,
        guard_paths: Sequence[tuple[str, str]] = (),
        hook_files: Sequence[str] = (),
        hook_mark: str = "phasegate",
    ) -> None:
        self._workspaces = workspaces
        self._runs = runs
        self._guard_paths = tuple(guard_paths)
        self._hook_files = tuple(hook_files)
        self._hook_names = frozenset(name.rpartition("/")[2] for name in hook_files)
        self._hook_mark = hook_mark
        self._seals = Seals()
        self._placer = Placer(workspaces, workflow)
        self._identities = Identities(workflow)
        self._coverage = Coverage(workflow, self._seals)
        self._reach = Reach(self._placer, self._coverage)
        self._arrivals = Arrivals(workflow, self._reach, self._coverage)
        self._locks = LockReader(workflow, self._placer, self._identities)

    def facts(
        self, call: ToolCall, workspace: Workspace, extraction: Extraction, policy: Policy, view: FileView
    ) -> Facts:
        """The facts of *call*, whose workspace is *workspace* and whose targets *view* has resolved."""
        return self.witnessed(call, workspace, extraction, policy, view, self._runs)[0]

    def witnessed(
        self,
        call: ToolCall,
        workspace: Workspace,
        extraction: Extraction,
        policy: Policy,
        view: FileView,
        runs: RunReader,
    ) -> tuple[Facts, tuple[RunRead, ...] | None]:
        """The same with the runs they rest on; None when they rest on more than those and *view*'s names."""
        gathering = Gathering(call, workspace, self._workspaces.served_above(workspace), view, runs)
        placed = [self._place(target, gathering) for target in extraction.targets]
        extraction = self._with_texts(extraction, placed, gathering)
        needed = facts_needed(call, extraction, [item.place for item in placed], policy)
        for index in needed.receipts:
            self._want_receipts(placed[index], gathering)
        targets = [
            self._target(index, target, placed[index], needed, gathering)
            for index, target in enumerate(extraction.targets)
        ]
        bound = gathering.bound_id() if needed.bound else None
        locks = [self._locks.lock(request, gathering) for request in extraction.locks]
        enters = [self._locks.enter(request, gathering) for request in extraction.enters]
        opaque = [self._opaque(reason, gathering) for reason in extraction.opaque if needed.opaque]
        facts = Facts(
            workspace.name,
            workspace.root,
            extraction,
            targets=tuple(targets),
            opaque=tuple(opaque),
            locks=tuple(locks),
            enters=tuple(enters),
            bound=gathering.run(gathering.home(bound), bound) if bound is not None else None,
            run_id_problem=_bound_problem(call, gathering.bound_problem),
            guard_paths=self._guard_paths + self._twins(extraction.targets, gathering),
            unreadable=gathering.unreadable,
        )
        return facts, gathering.runs_read if self._rests_on_names(facts, needed) else None

    def _rests_on_names(self, facts: Facts, needed: FactsNeeded) -> bool:
        """Whether nothing was read for *facts* but names and runs."""
        if facts.unreadable or facts.run_id_problem or facts.extraction.opaque or needed.locks:
            return False
        return not needed.texts and all(self._needs_name_only(item) for item in facts.targets)

    def _needs_name_only(self, item: TargetFacts) -> bool:
        target = item.target
        if target.source is not None or target.recursive or self._names_hook_file(target):
            return False
        return not item.run_rel or item.artifact is not None

    def guards(self, target: WriteTarget, view: FileView) -> bool:
        """Whether *target* is, lies in or holds a file of the guard that no workspace owns."""
        spelled = {target.path, target.lexical}
        if any(within(path, own) for path in spelled for own, _ in self._guard_paths):
            return True
        if self._names_hook_file(target) and (may_switch(target.change) or self._hook_at(target.path)):
            return True
        if not target.recursive:
            return False
        below = any(within(own, target.path) for own, _ in self._guard_paths)
        return below or any(
            self._hook_at(path) for path, _ in self._hook_files_below(target.path, view.home())
        )

    def _twins(self, targets: Sequence[WriteTarget], gathering: Gathering) -> tuple[tuple[str, str], ...]:
        """Targets that are the service's own files by another name (a hard link), with what each is."""
        found = []
        for target in targets:
            try:
                what = self._twin(target.path, gathering.view)
            except FactsUnreadable as error:
                gathering.note(error.detail)
                continue
            if what is not None:
                found.append((target.path, what))
        return tuple(found)

    def _twin(self, path: str, view: FileView) -> str | None:
        status = view.lstat(path)
        if status is None or status.kind != "file" or status.nlink == 1:
            return None
        for own, what in self._guard_paths:
            paths = (own, *(f"{own}/{name}" for name in view.listdir(own) or ()))
            found = (item for item in map(view.lstat, paths) if item is not None)
            if any((item.dev, item.ino) == (status.dev, status.ino) for item in found):
                return what
        return None

    def _place(self, target: WriteTarget, gathering: Gathering) -> Placed:
        view, near = gathering.view, gathering.workspace
        try:
            placed = self._placer.place(target, near, view)
            owners = [near] if placed.workspace is None else [placed.workspace, near]
            return self._identities.other_place(target.path, placed, owners, view) or placed
        except FactsUnreadable as error:
            gathering.note(error.detail)
            return NOWHERE

    def _want_receipts(self, placed: Placed, gathering: Gathering) -> None:
        if placed.workspace is not None and placed.place.run_id is not None:
            gathering.want_receipts(placed.workspace, placed.place.run_id)

    def _target(
        self, index: int, target: WriteTarget, placed: Placed, needed: FactsNeeded, gathering: Gathering
    ) -> TargetFacts:
        place, workspace = placed.place, placed.workspace
        run = None
        if workspace is not None and place.run_id is not None and index in needed.artifacts:
            run = gathering.run(workspace, place.run_id)
        if run is not None and place.artifact is not None:
            sealed = run.artifacts[place.artifact].sealed
        else:
            sealed = run is not None and bool(place.run_rel) and self._sealed(target, gathering)
        carries_hook = self._carries_hook(target, gathering)
        below = self._below(target, placed, gathering)
        return TargetFacts(
            target,
            index,
            place.workspace,
            place.rel,
            run,
            place.run_rel,
            place.artifact,
            sealed,
            text=self._text(target, gathering) if index in needed.texts or carries_hook else None,
            covers_sealed=below[0],
            covers_guarded=below[1],
            carries_hook=carries_hook,
        )

    def _sealed(self, target: WriteTarget, gathering: Gathering) -> bool:
        """Whether a file of a run tree that is none of its artifacts carries a valid lock."""
        try:
            seal = self._seals.at(target.path, gathering.view)
        except FactsUnreadable as error:
            gathering.note(error.detail)
            return False
        if seal.unreadable:
            gathering.note(f"a target in a run can't be read: {seal.unreadable}")
        return seal.seal.status == "LOCKED"

    def _text(self, target: WriteTarget, gathering: Gathering) -> str | None:
        reading = text_at(target.path)
        if reading.unreadable:
            gathering.note(f"a target can't be read: {reading.unreadable}")
        return reading.text

    def _carries_hook(self, target: WriteTarget, gathering: Gathering) -> bool:
        if not self._names_hook_file(target):
            return False
        return may_switch(target.change) or self._holds_hook(target.path, gathering)

    def _names_hook_file(self, target: WriteTarget) -> bool:
        path, lexical = target.path, target.lexical
        return self._is_hook_file(path) or (lexical != path and self._is_hook_file(lexical))

    def _is_hook_file(self, path: str) -> bool:
        return path.rpartition("/")[2] in self._hook_names and _ends_with(path, self._hook_files)

    def _holds_hook(self, path: str, gathering: Gathering) -> bool:
        reading = text_at(path)
        if reading.unreadable:
            gathering.note(f"a runtime's configuration can't be read: {reading.unreadable}")
        return reading.text is not None and self._hook_mark in reading.text

    def _hook_at(self, path: str) -> bool:
        return self._hook_mark in (text_at(path).text or "")

    def _hook_files_below(self, directory: str, *bases: str | None) -> Iterator[tuple[str, str]]:
        """Paths and names of configuration files below a directory, in the workspace or at home."""
        for base in dict.fromkeys(bases):
            for name in self._hook_files if base else ():
                path = f"{base}/{name}"
                if within(path, directory) and path != directory:
                    yield path, name

    def _hooks_below(self, directory: str, gathering: Gathering) -> Iterator[str]:
        """Those of them that hold the hook entry."""
        bases = gathering.workspace.root, gathering.view.home()
        for path, name in self._hook_files_below(directory, *bases):
            if self._holds_hook(path, gathering):
                yield name

    def _below(
        self, target: WriteTarget, placed: Placed, gathering: Gathering
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Sealed and guarded files that an operation on the whole of *target* would take with it, or bring."""
        if not target.recursive and target.source is None:
            return (), ()
        sealed: dict[str, None] = {}
        guarded: dict[str, None] = {}
        try:
            for found in self._covered(target, placed, gathering):
                sealed |= dict.fromkeys(found.sealed)
                guarded |= dict.fromkeys(found.guarded)
                for reason in found.unreadable:
                    gathering.note(reason)
        except FactsUnreadable as error:
            gathering.note(error.detail)
        return tuple(sealed), tuple(guarded)

    def _covered(self, target: WriteTarget, placed: Placed, gathering: Gathering) -> Iterator[Covered]:
        near, view = gathering.workspace, gathering.view
        if self._arrivals.may_be_tree(target, placed):
            yield self._arrivals.overwritten(target, placed, near, view)
        if not target.recursive or self._arrivals.adds_only(target, placed):
            return
        own = [what for path, what in self._guard_paths if within(path, target.path)]
        yield Covered(guarded=[*own, *self._hooks_below(target.path, gathering)])
        for workspace, rel in self._reach.planes_below(target.path, near, view):
            yield self._coverage.below(rel, workspace)

    def _with_texts(
        self, extraction: Extraction, placed: Sequence[Placed], gathering: Gathering
    ) -> Extraction:
        """*extraction* with the texts of documents that would be brought into a run from elsewhere."""
        brought: dict[int, WriteTarget] = {}
        for index, target in enumerate(extraction.targets):
            if target.source is None:
                continue
            reading = self._arrivals.text(target, placed[index])
            if reading is not None and reading.text is not None:
                brought[index] = replace(target, change=ContentChange("replace", reading.text))
            elif reading is not None and reading.unreadable:
                gathering.note(f"a document to be brought can't be read: {reading.unreadable}")
        if not brought:
            return extraction
        targets = tuple(brought.get(index, target) for index, target in enumerate(extraction.targets))
        return replace(extraction, targets=targets)

    def _opaque(self, reason: OpaqueReason, gathering: Gathering) -> OpaqueFacts:
        try:
            return self._reach.facts(reason, gathering.workspace, gathering.view, gathering.note)
        except FactsUnreadable as error:
            gathering.note(error.detail)
            return OpaqueFacts(reason)


def _bound_problem(call: ToolCall, problem: str | None) -> str:
    if problem is None:
        return ""
    shown = "".join(char if char.isprintable() and char != "`" else "?" for char in call.run_id or "")
    return f"the run id `{shown[:_SHOWN]}` of the call can't be used: {problem}"


def _ends_with(path: str, names: Sequence[str]) -> bool:
    return any(path == name or path.endswith("/" + name) for name in names)
