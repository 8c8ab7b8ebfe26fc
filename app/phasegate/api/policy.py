"""`GET /v1/policy`: the policy in force in a workspace."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from phasegate.api.replies import json_reply, problems
from phasegate.service import Service


def routes(service: Service) -> APIRouter:
    router = APIRouter(tags=["policy"])

    @router.get("/v1/policy", response_model=dict[str, Any], responses=problems(403, 422))
    async def policy(workspace: Annotated[str | None, Query(max_length=1024)] = None) -> Response:
        """Source, digest, modes, rules and patterns; `defect` says why a policy file is not believed."""
        return json_reply(service.policy(workspace))

    return router
