"""`GET /healthz` and `GET /readyz`: alive, and able to decide."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from phasegate import __version__
from phasegate.api.replies import JSON, json_reply
from phasegate.service import Service

VERSION_HEADER = "Phasegate-Version"


def routes(service: Service) -> APIRouter:
    router = APIRouter(tags=["service"])

    @router.get("/healthz")
    def healthz() -> Response:
        """The process answers."""
        return Response(b'{"status":"ok"}', media_type=JSON, headers={VERSION_HEADER: __version__})

    @router.get(
        "/readyz", response_model=None, responses={503: {"description": "not ready; the body says why"}}
    )
    async def readyz() -> Response:
        """Whether decisions can be made and recorded; when not, why not."""
        state = await service.readiness()
        return json_reply(state, 200 if state["ready"] else 503)

    return router
