"""Stories about runs. What changes a run goes through the same engine as an agent's call, and is recorded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from phasegate.core.call import ToolCall
from phasegate.core.facts import RunFacts
from phasegate.core.ordering import active_artifact, next_legal_artifact
from phasegate.core.workflow import Workflow
from phasegate.decision_log.record import LifecycleEvent, Origin
from phasegate.errors import (
    FactsUnreadable,
    InvalidRequest,
    LockRefused,
    PhasegateError,
    PhaseRefused,
    RunNotFound,
)
from phasegate.memory.reader import MemoryReader
from phasegate.service.observing import ObservationStories
from phasegate.workspace.locate import Workspace
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.look_book import LookBook
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.reopen import reopen_artifact
from phasegate.workspace.run_view import seal_problems, view_run
from phasegate.workspace.runs import Runs
from phasegate.workspace.site import Site, checked_run_id
from phasegate.workspace.start import start_run

if TYPE_CHECKING:
    from phasegate.service.stories import Service

logger = logging.getLogger("phasegate")
RUNS_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks for a change, as far as they say. Recorded, never trusted."""

    session_id: str | None = None
    agent_id: str | None = None
    runtime: str | None = None


@dataclass(frozen=True, slots=True)
class RunParts:
    """What the stories stand on: `site` opens one workspace for writing, `memory` reads its plane.

    `looks` remembers how runs stood when the guard last looked.
    """

    runs: Runs
    workflow: Workflow
    site: Callable[[Workspace], Site]
    memory: Callable[[Workspace], MemoryReader]
    looks: LookBook = field(default_factory=LookBook)


class RunStories:
    """What can be done with the runs of the served workspaces."""

    def __init__(self, service: Service, parts: RunParts) -> None:
        self.observing = ObservationStories(service, parts)
        self._service = service
        self._runs = parts.runs
        self._workflow = parts.workflow
        self._site = parts.site
        self._memory = parts.memory

    def close(self) -> None:
        """Give back the directories that are kept open."""
        self._runs.close()

    async def start(self, workspace: str | None, run_id: str, title: str, who: Who) -> dict[str, Any]:
        """Scaffold a run, or what an existing one lacks."""
        place = self._place(workspace)
        made = await asyncio.to_thread(start_run, self._site(place), run_id, title)
        event = LifecycleEvent(
            "run_created", f"run `{made.run_id}` was started", made.run_id, origin=_origin(who)
        )
        reply = asdict(made)
        reply["run_start_approval"] = reply.pop("approval")
        return reply | {"workspace": place.name} | await self._note(event, place)

    async def enter(
        self, workspace: str | None, run_id: str, request: EntryRequest, who: Who
    ) -> dict[str, Any]:
        """Enter a phase: memory is read and the read receipt written before this returns."""
        place = self._place(workspace)
        run = checked_run_id(run_id)
        args = {"runId": run} | ({"phase": request.phase} if request.phase is not None else {})
        tampered = await self._looked_at(place, run, who)
        await self._allowed(self._workflow.enter_tools, args, place, run, who, PhaseRefused)
        entered = await asyncio.to_thread(enter_phase, self._site(place), replace(request, run_id=run))
        event = LifecycleEvent(
            "enter",
            f"phase `{entered.phase.artifact}` of run `{run}` was entered",
            run,
            entered.phase.artifact,
            _origin(who),
            {"injected": entered.reading.injected, "plane_digest": entered.reading.plane_digest},
        )
        payload = entered.payload()
        payload["warnings"] += tampered
        return payload | {"workspace": place.name} | await self._note(event, place)

    async def lock(self, workspace: str | None, run_id: str, artifact: str, who: Who) -> dict[str, Any]:
        """Lock an artifact. Raises `LockRefused` with the gate, or the decision, that refuses."""
        place = self._place(workspace)
        run = checked_run_id(run_id)
        args = {"runId": run, "artifact": artifact}
        await self._looked_at(place, run, who)
        await self._allowed(self._workflow.lock_tools, args, place, run, who, LockRefused)
        made = await asyncio.to_thread(lock_artifact, self._site(place), run, artifact)
        event = LifecycleEvent(
            "lock",
            f"`{made.artifact}` of run `{run}` was locked",
            run,
            made.artifact,
            _origin(who),
            {"artifact_hash": made.artifact_hash, "locked_at": made.locked_at},
        )
        return asdict(made) | {"workspace": place.name} | await self._note(event, place)

    async def reopen(
        self, workspace: str | None, run_id: str, artifact: str, reason: str, who: Who
    ) -> dict[str, Any]:
        """Reopen a locked artifact; later ones that rested on it no longer count as locked."""
        place = self._place(workspace)
        run = checked_run_id(run_id)
        args = {"runId": run, "artifact": artifact, "reopen": True}
        await self._looked_at(place, run, who)
        await self._allowed(self._workflow.lock_tools, args, place, run, who, LockRefused)
        made = await asyncio.to_thread(reopen_artifact, self._site(place), run, artifact, reason)
        event = LifecycleEvent(
            "reopen",
            f"`{made.artifact}` of run `{run}` was reopened: {made.reason}",
            run,
            made.artifact,
            _origin(who),
            {"stale": ", ".join(made.stale)},
        )
        return asdict(made) | {"workspace": place.name} | await self._note(event, place)

    def listing(self, workspace: str | None) -> dict[str, Any]:
        """The runs of a workspace, newest first."""
        place = self._place(workspace)
        found = _readable(self._runs.listing, place)
        items = [
            {"run_id": entry.run_id, "linked": entry.linked, "workspace": place.name}
            for entry in found[:RUNS_SHOWN]
        ]
        return {"items": items, "next_cursor": None}

    def status(self, workspace: str | None, run_id: str) -> dict[str, Any]:
        """Every artifact of a run, all read now."""
        place = self._place(workspace)
        reading = self._runs.fresh(place, checked_run_id(run_id))
        if not reading.facts.exists:
            raise _no_run(run_id)
        return _status(reading.facts, self._workflow) | {
            "workspace": place.name,
            "unreadable": list(reading.unreadable),
            **asdict(view_run(self._site(place), run_id)),
        }

    def verify(self, workspace: str | None, run_id: str) -> dict[str, Any]:
        """Check the run's lock receipts against its artifacts, and against their seals where there are any."""
        place = self._place(workspace)
        run = checked_run_id(run_id)
        if not self._runs.facts(place, run).facts.exists:
            raise _no_run(run)
        report = _readable(self._runs.verify, place, run)
        problems = (*report.problems, *seal_problems(self._site(place), run))
        return {
            "run_id": run,
            "workspace": place.name,
            "ok": not problems,
            "checked": report.checked,
            "problems": [asdict(problem) for problem in problems],
        }

    def explain_memory(self, workspace: str | None, query: str, phase: str | None) -> dict[str, Any]:
        """How every memory entry ranks for *query*, and why."""
        place = self._place(workspace)
        return {"workspace": place.name} | asdict(self._memory(place).explain(query, phase))

    def _place(self, workspace: str | None) -> Workspace:
        return self._service.judge.workspaces.by_name(workspace)

    async def _allowed(
        self,
        tools: frozenset[str],
        args: Mapping[str, Any],
        place: Workspace,
        run: str,
        who: Who,
        refusal: type[PhasegateError],
    ) -> None:
        """Let the engine decide the operation as the call of a host's tool; raise *refusal* on a denial."""
        call = ToolCall(
            min(tools),
            args,
            workspace=place.root,
            cwd=place.root,
            run_id=run,
            runtime=who.runtime,
            session_id=who.session_id,
            agent_id=who.agent_id,
        )
        answer = await self._service.evaluate(call)
        if answer.decision.kind == "deny":
            reply = answer.reply()
            raise refusal(
                answer.decision.reason, remedy=answer.decision.remedy.text, errors=[{"decision": reply}]
            )

    async def observe(
        self, workspace: str | None, run_id: str | None, paths: Sequence[str], origin: Origin
    ) -> dict[str, Any]:
        """Check after a call that everything locked still stands."""
        return await self.observing.observe(self._place(workspace), run_id, paths, origin)

    async def _looked_at(self, place: Workspace, run: str, who: Who) -> list[str]:
        """Look before changing: afterwards the run as it is then is what later looks are compared with."""
        found = await self.observing.observe(place, run, (), _origin(who))
        return [f"`{tamper['path']}`: {tamper['detail']}" for tamper in found["tampered"]]

    async def _note(self, event: LifecycleEvent, place: Workspace) -> dict[str, Any]:
        """Record what was done. It is done: a log that fails now leaves `record` null."""
        if event.run_id is not None:
            await self.observing.refresh(place, event.run_id)
        entry = await self._service.note(event, place)
        return {"record": None if entry is None else {"seq": entry.seq, "hash": entry.hash}}


def _origin(who: Who) -> Origin:
    return Origin(who.runtime, who.session_id, who.agent_id)


def _no_run(run_id: str) -> RunNotFound:
    return RunNotFound(f"there is no run `{run_id}`", remedy=f"start it (`phasegate run start {run_id}`)")


def _readable(read: Callable[..., Any], *args: Any) -> Any:
    try:
        return read(*args)
    except FactsUnreadable as error:
        raise InvalidRequest(error.detail, remedy="make it readable for the service") from error


def _status(run: RunFacts, workflow: Workflow) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "active_artifact": active_artifact(run, workflow),
        "next_phase": next_legal_artifact(run, workflow),
        "artifacts": [
            {
                "name": phase.artifact,
                "phase": phase.number,
                "mandatory": phase.mandatory,
                "title": phase.title,
                "status": run.artifacts[phase.artifact].status,
                "sealed": run.artifacts[phase.artifact].sealed,
                "lacks": run.artifacts[phase.artifact].lacks,
            }
            for phase in workflow.phases
        ],
        "read_receipts": [
            {"phase": receipt.phase, "state": receipt.state, "version": receipt.version}
            for receipt in run.read_receipts.values()
        ],
        "read_receipts_defect": run.read_receipts_defect,
    }
