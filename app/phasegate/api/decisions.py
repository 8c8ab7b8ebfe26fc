"""`GET /v1/decisions`: look records up, one or many, and verify their chain."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from phasegate.api.problems import repeated_parameter
from phasegate.api.replies import json_reply, problems
from phasegate.api.reply_models import RecordPage, Verification
from phasegate.decision_log.query import CHOICES, DEFAULT_LIMIT, FILTERS, MAX_LIMIT, MAX_TEXT
from phasegate.service import Service

LINES = "application/x-ndjson"
_MEANINGS = {
    "target": "Prefix of a target's path, relative to its workspace.",
    "since": "ISO 8601 time or date, inclusive.",
    "until": "ISO 8601 time or date, exclusive.",
    "q": "Text in summary, reason, rule or tool, letter case ignored.",
    "type": "Default: decision; `any` for all.",
    "cursor": "`next_cursor` of the page before.",
    "limit": "Records on a page.",
}


def routes(service: Service) -> APIRouter:
    router = APIRouter(tags=["log"])

    @router.get(
        "/v1/decisions",
        response_model=RecordPage,
        responses=problems(422),
        openapi_extra={"parameters": [_parameter(name) for name in sorted(FILTERS)]},
    )
    async def query(request: Request) -> Response:
        """Records, newest first, that match every filter given. An unknown filter is an error."""
        pairs = request.query_params.multi_items()
        params = dict(pairs)
        if len(params) != len(pairs):
            raise repeated_parameter(pairs)
        return json_reply(await service.query(params))

    @router.get("/v1/decisions/verify", response_model=Verification, responses=problems())
    async def verify() -> Response:
        """Recompute the whole hash chain."""
        return json_reply(await service.verify())

    @router.get(
        "/v1/decisions/export",
        response_class=StreamingResponse,
        responses={200: {"content": {LINES: {}}}, **problems()},
    )
    def export() -> Response:
        """The whole log as JSON Lines, oldest first, its head last. A line that has no head after it was cut off."""
        return StreamingResponse(service.export(), media_type=LINES)

    @router.get("/v1/decisions/{decision_id}", response_model=dict[str, Any], responses=problems(404, 422))
    async def get(decision_id: str) -> Response:
        """One record in full."""
        return json_reply(await service.get(decision_id))

    return router


def _parameter(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "maxLength": MAX_TEXT}
    if name == "limit":
        schema = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT}
    elif name in CHOICES:
        schema = {"type": "string", "enum": list(CHOICES[name])}
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": _MEANINGS.get(name, f"Only records whose `{name}` is this."),
        "schema": schema,
    }
