"""The operations without I/O: requests out, answers in. Both clients drive these."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar
from urllib.parse import quote

import httpx

from phasegate.client import replies
from phasegate.client.replies import DecisionReply, ObservationReply, RunReply
from phasegate.core.call import Mode
from phasegate.errors import ServiceUnreachable

DEFAULT_URL: Final = "http://127.0.0.1:8787"
DEFAULT_TIMEOUT: Final = 10.0
RETRIES: Final = 3
PAUSE: Final = 0.05

FailureMode = Literal["strict", "advisory"]


@dataclass(frozen=True, slots=True)
class Defaults:
    """Fields put into every call unless it says otherwise. Recorded, and never trusted, by the service."""

    workspace: str | None = None
    cwd: str | None = None
    run_id: str | None = None
    mode: Mode | None = None
    runtime: str | None = None
    session_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """One request: a path, a JSON body and query parameters."""

    path: str
    body: Mapping[str, Any]
    params: Mapping[str, str] = field(default_factory=dict)


T = TypeVar("T")
Steps: TypeAlias = Generator[Post | float, Any, T]
"""An operation without I/O: yields requests (gets the response) and pauses in seconds."""


def advanced(steps: Steps[T], outcome: httpx.Response | httpx.TransportError) -> Post | float:
    """The next step after *outcome*; ends with `StopIteration` carrying the result."""
    if isinstance(outcome, httpx.TransportError):
        return steps.throw(outcome)
    return steps.send(outcome)


class Protocol:
    """Requests out, answers in; no I/O. Shared by both clients."""

    def __init__(
        self,
        *,
        url: str | None = None,
        uds: str | None = None,
        token: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        failure_mode: FailureMode = "strict",
        **defaults: Any,
    ) -> None:
        self.where = uds or url or DEFAULT_URL
        self.failure_mode: FailureMode = failure_mode
        self._defaults = Defaults(**defaults)
        self.uds = uds
        self.base = "http://localhost" if uds else url or DEFAULT_URL
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.timeout = httpx.Timeout(timeout, connect=min(timeout, 2.0))

    @property
    def has_cwd(self) -> bool:
        """Whether a directory (or a workspace) for every call was given."""
        return self._defaults.cwd is not None or self._defaults.workspace is not None

    def steps_decide(
        self, tool: str, args: Mapping[str, Any] | None, more: Mapping[str, Any]
    ) -> Steps[DecisionReply]:
        kept = {name: getattr(self._defaults, name) for name in Defaults.__dataclass_fields__}
        body = _present({"tool": tool, "args": dict(args or {}), **kept, **more})
        try:
            return replies.decision((yield from self._posted(Post("/v1/decisions", body))))
        except ServiceUnreachable as error:
            if self.failure_mode != "advisory":
                raise
            warning = f"{error.detail}; the call was not checked"
            return DecisionReply("allow", "allow", "advisory", "none", error.detail, warning=warning)

    def steps_enter(
        self,
        run_id: str | None,
        phase: str | None,
        *,
        session_id: str | None = None,
        workspace: str | None = None,
    ) -> Steps[RunReply]:
        run = self._run(run_id)
        body = _present({"phase": phase, "session_id": session_id or self._defaults.session_id})
        post = Post(f"/v1/runs/{quote(run, safe='')}/phase", body, _params(workspace))
        return RunReply(run, (yield from self._posted(post)))

    def steps_lock(self, artifact: str, run_id: str | None, workspace: str | None) -> Steps[RunReply]:
        run = self._run(run_id)
        post = Post(f"/v1/runs/{quote(run, safe='')}/locks", {"artifact": artifact}, _params(workspace))
        return RunReply(run, (yield from self._posted(post)))

    def steps_observe(
        self,
        run_id: str | None,
        *,
        paths: Sequence[str] | None = None,
        call_id: str | None = None,
        workspace: str | None = None,
    ) -> Steps[ObservationReply]:
        named = None if paths is None else list(paths)
        body = _present({"run_id": run_id or self._defaults.run_id, "paths": named, "call_id": call_id})
        return replies.observation(
            (yield from self._posted(Post("/v1/observations", body, _params(workspace))))
        )

    def _run(self, run_id: str | None) -> str:
        chosen = run_id or self._defaults.run_id
        if not chosen:
            raise ValueError("a run id is needed, in the call or in the client")
        return chosen

    def _posted(self, post: Post) -> Steps[Mapping[str, Any]]:
        """The document that answers *post*, asked again only where nothing can have happened."""
        for attempt in range(RETRIES):
            try:
                response = yield post
            except (httpx.ConnectError, httpx.ConnectTimeout):
                response = None
            except httpx.TransportError as error:
                raise self._unreachable(error) from error
            if response is not None and not replies.retriable(response):
                return replies.document(response)
            yield PAUSE * float(4**attempt)
        try:
            response = yield post
        except httpx.TransportError as error:
            raise self._unreachable(error) from error
        return replies.document(response)

    def _unreachable(self, error: httpx.TransportError) -> ServiceUnreachable:
        return ServiceUnreachable(
            f"no service answers at `{self.where}` ({type(error).__name__})",
            remedy="start it with `phasegate serve`",
        )


def _present(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value is not None}


def _params(workspace: str | None) -> dict[str, str]:
    return {"workspace": workspace} if workspace else {}
