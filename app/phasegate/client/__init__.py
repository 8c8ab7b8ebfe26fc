"""The client for Python programs, sync and async, on httpx.

    with PhasegateClient(uds="/run/phasegate.sock", run_id="r1") as guard:
        guard.guard("write", {"file_path": "02-plan.md", "content": text})   # raises Denied

Failure mode: `strict` (default) raises `ServiceUnreachable` when no service answers, so
that nothing runs unchecked; `advisory` answers with an allow that carries a warning.
Retried is only what certainly did nothing: a connection that was never made, and the
answers 503 and 409 `run_busy`. A request that timed out may have been recorded or may
have locked something, and is not sent again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Self

import httpx

from phasegate.client.protocol import Post, Protocol, Steps, T, advanced
from phasegate.client.replies import (
    DecisionReply,
    Denied,
    ObservationReply,
    RunReply,
    ServiceError,
    allowed,
)
from phasegate.errors import ServiceUnreachable
from phasegate.settings import ClientSettings, client_settings

__all__ = [
    "AsyncPhasegateClient",
    "DecisionReply",
    "Denied",
    "ObservationReply",
    "PhasegateClient",
    "RunReply",
    "ServiceError",
    "ServiceUnreachable",
]


class PhasegateClient(Protocol):
    """
    The synchronous client. Keyword arguments: `url` or `uds`, `token`, `timeout` (seconds),
    `failure_mode`, and defaults for every call: `workspace`, `cwd`, `run_id`, `mode`,
    `runtime`, `session_id`, `agent_id`.
    """

    def __init__(self, *, transport: httpx.BaseTransport | None = None, **options: Any) -> None:
        super().__init__(**options)
        chosen = transport or httpx.HTTPTransport(uds=self.uds)
        self._http = httpx.Client(
            base_url=self.base, headers=self.headers, timeout=self.timeout, transport=chosen
        )

    @classmethod
    def from_environment(cls, **options: Any) -> Self:
        """A client of the service that `PHASEGATE_UDS` or `PHASEGATE_URL` names."""
        return cls(**{**_environment(client_settings()), **options})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def decide(self, tool: str, args: Mapping[str, Any] | None = None, **more: Any) -> DecisionReply:
        """Ask whether a call may run. *more*: `cwd`, `call_id` and the other fields of a call."""
        return self._drive(self.steps_decide(tool, args, more))

    def guard(self, tool: str, args: Mapping[str, Any] | None = None, **more: Any) -> DecisionReply:
        """As `decide`, but a denial raises `Denied`."""
        return allowed(self.decide(tool, args, **more))

    def enter_phase(self, run_id: str | None = None, phase: str | None = None, **where: Any) -> RunReply:
        """Enter a phase (default: the next legal one), which reads its memory.

        *where*: `session_id`, and `workspace` (its served name) when several are served.
        """
        return self._drive(self.steps_enter(run_id, phase, **where))

    def lock(self, artifact: str, run_id: str | None = None, *, workspace: str | None = None) -> RunReply:
        """Lock an artifact. A refusal raises `ServiceError` whose `problem` is `lock_refused`."""
        return self._drive(self.steps_lock(artifact, run_id, workspace))

    def observe(self, run_id: str | None = None, **what: Any) -> ObservationReply:
        """Check after a call that protected files are as they were left.

        *what*: `paths` that the call named, `call_id`, `workspace`.
        """
        return self._drive(self.steps_observe(run_id, **what))

    def _drive(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, float):
                    time.sleep(step)
                    step = steps.send(None)
                else:
                    outcome = self._sent(step)
                    step = advanced(steps, outcome)
        except StopIteration as done:
            result: T = done.value
            return result

    def _sent(self, post: Post) -> httpx.Response | httpx.TransportError:
        try:
            return self._http.post(post.path, json=post.body, params=post.params)
        except httpx.TransportError as error:
            return error


class AsyncPhasegateClient(Protocol):
    """`PhasegateClient` with `await`; the same operations and arguments."""

    def __init__(self, *, transport: httpx.AsyncBaseTransport | None = None, **options: Any) -> None:
        super().__init__(**options)
        chosen = transport or httpx.AsyncHTTPTransport(uds=self.uds)
        self._http = httpx.AsyncClient(
            base_url=self.base, headers=self.headers, timeout=self.timeout, transport=chosen
        )

    @classmethod
    def from_environment(cls, **options: Any) -> Self:
        """A client of the service that `PHASEGATE_UDS` or `PHASEGATE_URL` names."""
        return cls(**{**_environment(client_settings()), **options})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def decide(self, tool: str, args: Mapping[str, Any] | None = None, **more: Any) -> DecisionReply:
        """Ask whether a call may run."""
        return await self._drive(self.steps_decide(tool, args, more))

    async def guard(self, tool: str, args: Mapping[str, Any] | None = None, **more: Any) -> DecisionReply:
        """As `decide`, but a denial raises `Denied`."""
        return allowed(await self.decide(tool, args, **more))

    async def enter_phase(
        self, run_id: str | None = None, phase: str | None = None, **where: Any
    ) -> RunReply:
        """Enter a phase, which reads its memory."""
        return await self._drive(self.steps_enter(run_id, phase, **where))

    async def lock(
        self, artifact: str, run_id: str | None = None, *, workspace: str | None = None
    ) -> RunReply:
        """Lock an artifact."""
        return await self._drive(self.steps_lock(artifact, run_id, workspace))

    async def observe(self, run_id: str | None = None, **what: Any) -> ObservationReply:
        """Check after a call that protected files are as they were left."""
        return await self._drive(self.steps_observe(run_id, **what))

    async def _drive(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    step = steps.send(None)
                else:
                    outcome = await self._sent(step)
                    step = advanced(steps, outcome)
        except StopIteration as done:
            result: T = done.value
            return result

    async def _sent(self, post: Post) -> httpx.Response | httpx.TransportError:
        try:
            return await self._http.post(post.path, json=post.body, params=post.params)
        except httpx.TransportError as error:
            return error


def _environment(found: ClientSettings) -> dict[str, Any]:
    return {"url": found.url, "uds": found.uds, "token": found.token, "run_id": found.run_id}
