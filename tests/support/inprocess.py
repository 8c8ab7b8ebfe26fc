"""The whole application in this process, asked over ASGI: for faults that a real process can't be given."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from phasegate.api.app import create_app
from phasegate.service import Service, open_service
from phasegate.settings import load_settings
from support import cases


class Guard:
    """A started service and its application."""

    def __init__(self, service: Service, app: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.service = service
        self.app = app
        self.loop = loop

    def request(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        return self.run(self._request(method, path, **kwargs))

    def get(self, path: str, **params: Any) -> httpx.Response:
        return self.request("GET", path, params=params or None)

    def post(self, path: str, body: Any = None, **kwargs: Any) -> httpx.Response:
        if isinstance(body, bytes):
            headers = {"content-type": "application/json"} | kwargs.pop("headers", {})
            return self.request("POST", path, content=body, headers=headers, **kwargs)
        return self.request("POST", path, json=body, **kwargs)

    def decide(self, tool: str, args: Any = None, **more: Any) -> dict[str, Any]:
        reply = self.post("/v1/decisions", {"tool": tool, "args": args, **more})
        assert reply.status_code == 200, reply.text
        return reply.json()

    def run(self, coroutine: Any) -> Any:
        return self.loop.run_until_complete(coroutine)

    async def _request(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        # As a server does: the application answers, and what it raises besides is only logged.
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8787") as client:
            return await client.request(method, path, **kwargs)


@contextmanager
def guard(
    workspaces: Mapping[str, Path], home: Path, *, service: Service | None = None, **flags: Any
) -> Iterator[Guard]:
    """A guard of *workspaces* with its data below *home*."""
    settings = load_settings(
        {
            "workspace": [f"{name}={path}" for name, path in workspaces.items()],
            "data": str(home / "data"),
            **flags,
        },
        {"HOME": str(home)},
    )
    loop = asyncio.new_event_loop()
    service = service or open_service(settings)
    loop.run_until_complete(service.start())
    try:
        yield Guard(service, create_app(service, settings), loop)
    finally:
        loop.run_until_complete(service.close())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def make_run(root: Path, run_id: str = "r1", *, locked: int = 2, drafts: int = 1, read: bool = True) -> Path:
    """A run whose first *locked* artifacts are locked and whose next *drafts* are drafts."""
    from support import peer

    names = peer.SEQUENCE[: locked + drafts]
    files = {name: {"kind": "locked" if place < locked else "draft"} for place, name in enumerate(names)}
    if read:
        files["memory-injections.json"] = {"kind": "reads", "phases": [peer.SEQUENCE[0]]}
    cases.build({"setup": {"runs": {run_id: {"files": files}}}}, root)
    return root / ".recursive" / "run" / run_id
