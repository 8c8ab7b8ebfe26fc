"""`POST /v1/explain` and `POST /v1/targets`: ask without leaving a record."""

from __future__ import annotations

from fastapi import APIRouter, Response

from phasegate.api.models import DecisionRequest, tool_call
from phasegate.api.path_map import mapped
from phasegate.api.replies import StrictRoute, json_reply, problems
from phasegate.api.reply_models import Explanation, TargetsReply
from phasegate.service import Service
from phasegate.workspace.path_map import PathMap


def routes(service: Service, paths: PathMap) -> APIRouter:
    router = APIRouter(tags=["decisions"], route_class=StrictRoute)

    @router.post("/v1/explain", response_model=Explanation, responses=problems(403, 413, 422))
    def explain(request: DecisionRequest) -> Response:
        """The decision on a call with every rule's part in it. Nothing is recorded."""
        return json_reply(service.explain(mapped(paths, tool_call(request))))

    @router.post("/v1/targets", response_model=TargetsReply, responses=problems(403, 413, 422))
    def targets(request: DecisionRequest) -> Response:
        """Which files a call would change, and what about it can't be known."""
        return json_reply(service.targets(mapped(paths, tool_call(request))))

    return router
