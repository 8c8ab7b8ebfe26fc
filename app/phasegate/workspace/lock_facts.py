"""Lock and phase-entry requests, with their run and artifact worked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from phasegate.core.call import EnterRequest, LockRequest
from phasegate.core.evidence import evidence_paths
from phasegate.core.facts import EnterFacts, LockFacts
from phasegate.core.runid import run_id_problem
from phasegate.core.workflow import Workflow
from phasegate.errors import FactsUnreadable
from phasegate.targets.resolve import resolve
from phasegate.workspace.gathering import Gathering
from phasegate.workspace.identity import Identities
from phasegate.workspace.locate import Workspace
from phasegate.workspace.placing import Placed, Placer
from phasegate.workspace.seals import text_at

_NOT_A_TEXT = "it is not a text"


@dataclass(frozen=True, slots=True)
class _Judged:
    """The run of a request: `problem` says why its own run id can't be used."""

    run_id: str | None
    problem: str = ""


class LockReader:
    """Reads what lock and entry requests need."""

    def __init__(self, workflow: Workflow, placer: Placer, identities: Identities) -> None:
        self._workflow = workflow
        self._placer = placer
        self._identities = identities

    def lock(self, request: LockRequest, gathering: Gathering) -> LockFacts:
        """The facts of a lock or reopen."""
        judged = _judged(request, gathering)
        if judged.run_id is None:
            artifact = (request.artifact or "").strip() or None
            return LockFacts(request, None, artifact, run_problem=judged.problem)
        home = gathering.home(judged.run_id)
        run = gathering.run(home, judged.run_id)
        artifact, problem = self._artifact(request.artifact, judged.run_id, home, gathering)
        text = None
        evidence: Mapping[str, bool] = {}
        if artifact is not None and not problem:
            text = self._text(f"{gathering.path(home, judged.run_id)}/{artifact}", artifact, gathering)
            if text is not None:
                evidence = dict(self._evidence(text, judged.run_id, home, gathering))
        return LockFacts(request, run, artifact, problem, judged.problem, text, evidence)

    def enter(self, request: EnterRequest, gathering: Gathering) -> EnterFacts:
        """The facts of a phase entry."""
        judged = _judged(request, gathering)
        if judged.run_id is None:
            return EnterFacts(request, None, judged.problem)
        run = gathering.run(gathering.home(judged.run_id), judged.run_id)
        return EnterFacts(request, run, judged.problem)

    def _artifact(
        self, given: str | None, run_id: str, home: Workspace, gathering: Gathering
    ) -> tuple[str | None, str]:
        """The canonical name that *given* stands for in the run, or why it can't be used.

        A plain name stays what it is, also outside the sequence, unless it is another
        name of one of the run's files. A path must lead into the run.
        """
        name = (given or "").strip()
        if not name:
            return None, ""
        if name in self._workflow.by_artifact:
            return name, ""
        unified = name.replace("\\", "/")
        run_path = gathering.path(home, run_id)
        base = (
            home.root if unified.removeprefix("./").startswith(self._workflow.runs_path + "/") else run_path
        )
        try:
            path = resolve(gathering.view, base, unified).path
            placed = self._placer.at(path, home, gathering.view)
            other = self._identities.other_place(path, placed, (home,), gathering.view)
        except FactsUnreadable as error:
            gathering.note(error.detail)
            return name, "it can't be looked up"
        rel = _rel_in_run(other or placed, run_id, home)
        return (name, "it does not lie in the run") if not rel else (rel, "")

    def _text(self, path: str, artifact: str, gathering: Gathering) -> str | None:
        try:
            real = resolve(gathering.view, "/", path).path
        except FactsUnreadable as error:
            gathering.note(error.detail)
            return None
        reading = text_at(real)
        if reading.unreadable:
            gathering.note(f"`{artifact}` can't be read: {reading.unreadable}")
        return reading.text

    def _evidence(
        self, text: str, run_id: str, home: Workspace, gathering: Gathering
    ) -> Iterator[tuple[str, bool]]:
        """For each path that the text names as evidence, whether it is a non-empty file of the run."""
        for path in evidence_paths(text):
            try:
                yield path, self._is_evidence(path, run_id, home, gathering)
            except FactsUnreadable:
                yield path, False

    def _is_evidence(self, path: str, run_id: str, home: Workspace, gathering: Gathering) -> bool:
        # Documents write `/.recursive/...` for a path from the workspace's root.
        control = self._workflow.layout.control + "/"
        rooted = path.removeprefix("/").startswith(control)
        base, operand = (
            (home.root, path.removeprefix("/")) if rooted else (gathering.path(home, run_id), path)
        )
        real = resolve(gathering.view, base, operand).path
        if not _rel_in_run(self._placer.at(real, home, gathering.view), run_id, home):
            return False
        status = gathering.view.lstat(real)
        return status is not None and status.kind == "file" and status.size > 0


def _judged(request: LockRequest | EnterRequest, gathering: Gathering) -> _Judged:
    """The run that a request names; else the bound one, else the newest."""
    if request.run_id is None and not request.run_id_malformed:
        return _Judged(gathering.fallback())
    run_id = (request.run_id or "").strip()
    problem = _NOT_A_TEXT if request.run_id_malformed else run_id_problem(run_id)
    return _Judged(run_id) if problem is None else _Judged(gathering.fallback(), problem)


def _rel_in_run(placed: Placed, run_id: str, home: Workspace) -> str:
    """The place's path relative to the run; "" when it lies elsewhere or is the run itself."""
    place = placed.place
    same = placed.workspace is not None and placed.workspace.root == home.root and place.run_id == run_id
    return (place.run_rel or "") if same else ""
