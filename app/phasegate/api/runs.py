"""Runs: start, list, look at, verify; enter a phase, lock and reopen artifacts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from phasegate.api.models import EXAMPLE_ARTIFACT, Word
from phasegate.api.replies import StrictRoute, json_reply, problems
from phasegate.decision_log.record import Origin
from phasegate.service import RunStories, Who
from phasegate.workspace.path_map import PathMap
from phasegate.workspace.phase_entry import EntryRequest

RunId = Annotated[str, Path(max_length=256)]
Workspace = Annotated[str | None, Query(max_length=1024, description="Name of a served workspace.")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    session_id: Word | None = None
    agent_id: Word | None = None
    runtime: Word | None = None

    @property
    def who(self) -> Who:
        return Who(self.session_id, self.agent_id, self.runtime)


class StartBody(_Body):
    """A new run."""

    run_id: str = Field(max_length=256, examples=["r1"])
    title: str = Field(default="", max_length=2000)


class PhaseBody(_Body):
    """Which phase to enter; absent, the next legal one. `query` replaces the requirements as what memory is searched for."""

    phase: Word | None = None
    query: str | None = Field(default=None, max_length=100_000)
    changed_paths: list[str] = Field(default=[], max_length=5000)


class LockBody(_Body):
    """What to lock."""

    artifact: str = Field(max_length=1024, examples=[EXAMPLE_ARTIFACT])


class ReopenBody(LockBody):
    """What to reopen, and why."""

    reason: str = Field(max_length=2000)


class ObservationBody(_Body):
    """What to look at: a run, or the runs that own these paths; with neither, the newest run and those that went."""

    run_id: str | None = Field(default=None, max_length=256)
    paths: list[Annotated[str, Field(max_length=4096)]] = Field(default=[], max_length=1000)
    call_id: Word | None = None

    @property
    def origin(self) -> Origin:
        return Origin(self.runtime, self.session_id, self.agent_id, self.call_id, self.run_id)


def routes(stories: RunStories, paths: PathMap) -> APIRouter:
    router = APIRouter(tags=["runs"], route_class=StrictRoute)
    _reading(router, stories)
    _changing(router, stories)
    _observing(router, stories, paths)
    return router


def _reading(router: APIRouter, stories: RunStories) -> None:
    @router.get("/v1/runs", response_model=dict[str, Any], responses=problems(403, 422))
    def listing(workspace: Workspace = None) -> Response:
        """The runs of a workspace, newest first."""
        return json_reply(stories.listing(workspace))

    @router.get("/v1/runs/{run}", response_model=dict[str, Any], responses=problems(403, 404, 422))
    def status(run: RunId, workspace: Workspace = None) -> Response:
        """Every artifact of a run, read now."""
        return json_reply(stories.status(workspace, run))

    @router.get("/v1/runs/{run}/verify", response_model=dict[str, Any], responses=problems(403, 404, 422))
    def verify(run: RunId, workspace: Workspace = None) -> Response:
        """Check the lock receipts of a run against its artifacts."""
        return json_reply(stories.verify(workspace, run))

    @router.get("/v1/memory/explain", response_model=dict[str, Any], responses=problems(403, 422))
    def explain_memory(
        q: Annotated[str, Query(max_length=4000)],
        phase: Annotated[str | None, Query(max_length=256)] = None,
        workspace: Workspace = None,
    ) -> Response:
        """How every memory entry ranks for a query, and why it is shown or left out."""
        return json_reply(stories.explain_memory(workspace, q, phase))


def _changing(router: APIRouter, stories: RunStories) -> None:
    @router.post(
        "/v1/runs", status_code=201, response_model=dict[str, Any], responses=problems(403, 409, 413, 422)
    )
    async def start(body: StartBody, workspace: Workspace = None) -> Response:
        """Start a run, or add what an existing one lacks. It enters no phase."""
        return json_reply(await stories.start(workspace, body.run_id, body.title, body.who), 201)

    @router.post(
        "/v1/runs/{run}/phase", response_model=dict[str, Any], responses=problems(403, 404, 409, 413, 422)
    )
    async def phase(run: RunId, body: PhaseBody, workspace: Workspace = None) -> Response:
        """Enter a phase: memory is read, and the read receipt that opens the gate written."""
        request = EntryRequest(
            phase=body.phase,
            session_id=body.session_id,
            query=body.query,
            changed_paths=tuple(body.changed_paths),
        )
        return json_reply(await stories.enter(workspace, run, request, body.who))

    @router.post(
        "/v1/runs/{run}/locks",
        status_code=201,
        response_model=dict[str, Any],
        responses=problems(403, 404, 409, 413, 422),
    )
    async def lock(run: RunId, body: LockBody, workspace: Workspace = None) -> Response:
        """Lock an artifact. A refusal is 409 and says which gate, or carries the decision."""
        return json_reply(await stories.lock(workspace, run, body.artifact, body.who), 201)

    @router.post(
        "/v1/runs/{run}/reopen", response_model=dict[str, Any], responses=problems(403, 404, 409, 413, 422)
    )
    async def reopen(run: RunId, body: ReopenBody, workspace: Workspace = None) -> Response:
        """Reopen a locked artifact. Later artifacts that rested on it no longer count as locked."""
        return json_reply(await stories.reopen(workspace, run, body.artifact, body.reason, body.who))


def _observing(router: APIRouter, stories: RunStories, paths: PathMap) -> None:
    @router.post(
        "/v1/observations", response_model=dict[str, Any], responses=problems(403, 404, 409, 413, 422)
    )
    async def observe(body: ObservationBody, workspace: Workspace = None) -> Response:
        """Check after a call that what was locked still stands. New findings are recorded as tampering."""
        local = [paths.to_local(path) for path in body.paths]
        return json_reply(await stories.observe(workspace, body.run_id, local, body.origin))
