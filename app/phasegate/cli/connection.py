"""How a command reaches the guard: the running service when it is up, the same application in process otherwise.

Both ways speak the HTTP API, so a command is written once and prints the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from phasegate.errors import PhasegateError, ServiceUnreachable, WorkspaceNotServed
from phasegate.settings import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    ClientSettings,
    Settings,
    client_settings,
    load_settings,
)
from phasegate.workspace.workflow_file import load_workflow

_TIMEOUT = httpx.Timeout(30.0, connect=2.0)
_LOCAL = "http://phasegate"
VERSION_HEADER = "Phasegate-Version"


@dataclass(frozen=True, slots=True)
class Reply:
    """Status and JSON document of one answer that is not an error."""

    status: int
    document: Any


def ask(method: str, path: str, *, params: Mapping[str, Any] | None = None, body: Any = None) -> Reply:
    """One request to the guard.

    Raises the error of `phasegate.errors` that a problem document names, and
    `ServiceUnreachable` when an explicitly configured service does not answer.
    """
    given = {key: value for key, value in (params or {}).items() if value is not None}
    where = client_settings()
    request = (method, path, given, body)
    if where.configured:
        return _reply(_remote(where, request))
    default = ClientSettings(url=f"http://{DEFAULT_HOST}:{DEFAULT_PORT}", token=where.token)
    if _is_up(default):
        try:
            return _reply(_remote(default, request))
        except WorkspaceNotServed:
            # It guards other directories; nobody said that it should be asked about this one.
            pass
    return _reply(asyncio.run(_in_process(request)))


def read_lines(path: str) -> Iterator[str]:
    """The lines of a reply that is JSON Lines, as they come. Errors as in `ask`."""
    where = client_settings()
    default = ClientSettings(url=f"http://{DEFAULT_HOST}:{DEFAULT_PORT}", token=where.token)
    if where.configured or _is_up(default):
        yield from _remote_lines(where if where.configured else default, path)
        return
    answer = asyncio.run(_in_process(("GET", path, {}, None)))
    if not answer.is_success:
        _reply(answer)
    yield from answer.iter_lines()


def nearest_workspace(start: Path) -> Path:
    """The nearest directory from *start* upward that holds a control plane, else *start*."""
    control = load_workflow().layout.control
    return next((place for place in (start, *start.parents) if (place / control).is_dir()), start)


def local_settings() -> Settings:
    """Settings for an answer in process: the configured workspaces, else the one around here."""
    configured = load_settings({})
    if configured.workspaces or configured.workspace_root is not None:
        return configured
    return load_settings({"workspace": [str(nearest_workspace(Path.cwd()))]})


Request = tuple[str, str, dict[str, Any], Any]


def _remote(where: ClientSettings, request: Request) -> httpx.Response:
    method, path, params, body = request
    with _client(where) as client:
        return client.request(method, path, params=params, json=body)


def _remote_lines(where: ClientSettings, path: str) -> Iterator[str]:
    with _client(where) as client, client.stream("GET", path) as answer:
        if not answer.is_success:
            answer.read()
            _reply(answer)
        yield from answer.iter_lines()


@contextmanager
def _client(where: ClientSettings) -> Iterator[httpx.Client]:
    """A client of the service at *where*; its transport errors as ours."""
    transport = httpx.HTTPTransport(uds=where.uds) if where.uds else httpx.HTTPTransport()
    base = _LOCAL if where.uds else where.url or ""
    try:
        with httpx.Client(
            base_url=base, transport=transport, timeout=_TIMEOUT, headers=_headers(where)
        ) as client:
            yield client
    except (httpx.TransportError, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise ServiceUnreachable(
            f"no service answers at `{where.uds or where.url}` ({type(error).__name__})",
            remedy="start it with `phasegate serve`, or unset `PHASEGATE_UDS` and `PHASEGATE_URL`",
        ) from error


def _headers(where: ClientSettings) -> dict[str, str]:
    return {"Authorization": f"Bearer {where.token}"} if where.token else {}


def _is_up(where: ClientSettings) -> bool:
    """Whether it is a phasegate that listens there, and not a stranger on the same port."""
    try:
        answer = _remote(where, ("GET", "/healthz", {}, None))
    except ServiceUnreachable:
        return False
    return VERSION_HEADER in answer.headers


async def _in_process(request: Request) -> httpx.Response:
    from phasegate.api.app import create_app  # noqa: PLC0415 (only this path pays for the framework)
    from phasegate.service import open_service  # noqa: PLC0415 (as above)

    method, path, params, body = request
    settings = local_settings()
    service = open_service(settings)
    await service.start()
    try:
        transport = httpx.ASGITransport(app=create_app(service, settings))
        headers = {"Authorization": f"Bearer {settings.token}"} if settings.token else {}
        async with httpx.AsyncClient(
            base_url="http://localhost", transport=transport, headers=headers
        ) as client:
            return await client.request(method, path, params=params, json=body)
    finally:
        await service.close()


def _reply(answer: httpx.Response) -> Reply:
    try:
        document = answer.json()
    except ValueError as error:
        raise ServiceUnreachable(f"the answer with status {answer.status_code} is not JSON") from error
    if answer.is_success or "code" not in document:
        return Reply(answer.status_code, document)
    raise _error_named(document["code"])(
        document.get("detail", ""), remedy=document.get("remedy", ""), errors=document.get("errors", [])
    )


def _error_named(code: str) -> type[PhasegateError]:
    return next((error for error in _tree(PhasegateError) if error.code == code), PhasegateError)


def _tree(error: type[PhasegateError]) -> Iterator[type[PhasegateError]]:
    for child in error.__subclasses__():
        yield from _tree(child)
        yield child
