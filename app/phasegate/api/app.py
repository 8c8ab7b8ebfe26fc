"""The whole HTTP application: the decision route in front, FastAPI behind the gate."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from phasegate import __version__
from phasegate.api import batch, decisions, explain, health, hooks, metrics, policy, problems, runs
from phasegate.api.decision_route import decision_route, declare
from phasegate.api.express import Desk
from phasegate.api.gate import App, Gate, guarded
from phasegate.api.hooks import refusal
from phasegate.api.replies import PROBLEM_SCHEMA
from phasegate.service import Service
from phasegate.settings import Settings
from phasegate.workspace.path_map import PathMap

DESCRIPTION = (
    "Answers whether a tool call of an AI agent may run: an agent cannot write a phase before the earlier "
    "ones are locked, cannot touch what is locked, and cannot write requirements before memory was read. "
    "Every reply that is a decision has status 200, allow or deny."
)


def create_gate(settings: Settings) -> Gate:
    """The gate of one service, for all ways in."""
    return Gate.for_names(_names(settings), settings.token, settings.max_concurrency)


def create_desk(service: Service, settings: Settings, gate: Gate) -> Desk:
    """The short way to decisions for a server that offers it."""
    return Desk(service.rounds, gate, PathMap(settings.maps))


def create_app(service: Service, settings: Settings, gate: Gate | None = None) -> App:
    """The ASGI application of one service. Its lifespan starts and closes the service."""
    gate = gate or create_gate(settings)
    paths = PathMap(settings.maps)
    inner = guarded(_framework(service, paths), gate, refusal(service))
    return decision_route(inner, service, gate, paths)


def _framework(service: Service, paths: PathMap) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        await service.start()
        try:
            yield
        finally:
            await service.close()

    app = FastAPI(
        title="phasegate",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
        license_info={"name": "Apache-2.0"},
    )
    problems.install(app)
    for router in (
        batch.routes(service, paths),
        explain.routes(service, paths),
        decisions.routes(service),
        policy.routes(service),
        runs.routes(service.runs, paths),
        hooks.routes(service, paths),
        health.routes(service),
        metrics.routes(service),
    ):
        app.include_router(router)
    app.openapi = lambda: _document(app, app.routes)  # type: ignore[method-assign] # FastAPI's own way to extend it
    return app


def _document(app: FastAPI, routes: list[BaseRoute]) -> dict[str, Any]:
    """FastAPI's document with the decision route and the problem schema added; built once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=routes,
            license_info=app.license_info,
        )
        document["components"]["schemas"]["Problem"] = PROBLEM_SCHEMA
        declare(document)
        app.openapi_schema = document
    return app.openapi_schema


def _names(settings: Settings) -> list[str]:
    """Names that a Host header may carry besides the local ones; a wildcard address is none."""
    own = [] if settings.host in ("0.0.0.0", "::") else [_bracketed(settings.host.lower())]  # noqa: S104 (compared, not bound)
    return [*own, *settings.allowed_hosts]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
