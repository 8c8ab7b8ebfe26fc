"""`POST /v1/decisions/batch`: up to a hundred calls, decided in order, recorded together."""

from __future__ import annotations

from fastapi import APIRouter, Response

from phasegate.api.models import BatchRequest, tool_call
from phasegate.api.path_map import mapped
from phasegate.api.replies import StrictRoute, json_reply, problems
from phasegate.api.reply_models import BatchReply
from phasegate.service import Service
from phasegate.workspace.path_map import PathMap


def routes(service: Service, paths: PathMap) -> APIRouter:
    router = APIRouter(tags=["decisions"], route_class=StrictRoute)

    @router.post("/v1/decisions/batch", response_model=BatchReply, responses=problems(403, 413, 422))
    async def batch(request: BatchRequest) -> Response:
        """Decide several calls. When one names a workspace that is not served, none is decided."""
        calls = [mapped(paths, tool_call(item)) for item in request.calls]
        answers = await service.evaluate_all(calls)
        return json_reply({"decisions": [answer.reply() for answer in answers]})

    return router
