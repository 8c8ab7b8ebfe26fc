"""Replies of the FastAPI part: JSON bytes as they are, without a second validation."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute

from phasegate.api.problems import MEDIA_TYPE
from phasegate.api.strict_json import parse_json

JSON = "application/json"


class StrictRequest(Request):
    """A request whose JSON is read as the decision route reads it."""

    async def json(self) -> Any:
        return parse_json(await self.body())


class StrictRoute(APIRoute):
    """A route that takes strict JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strict


def json_reply(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type=JSON)


PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail", "remedy", "errors"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "examples": ["invalid_request"]},
        "detail": {"type": "string"},
        "remedy": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "field": {"type": "string"},
                    "problem": {"type": "string"},
                    "remedy": {"type": "string"},
                },
            },
        },
    },
}

_MEANINGS = {
    401: "the bearer token is missing or wrong (`token_required`)",
    403: "the workspace is not served (`workspace_not_served`)",
    404: "there is no such thing (`decision_not_found`, `run_not_found`)",
    409: "the state of the run forbids it (`run_busy`, `phase_refused`, `run_complete`, `lock_refused`, "
    "`closure_refused`, `file_refused`)",
    413: "the body is over its limit (`body_too_large`)",
    421: "the Host header names another service (`host_refused`)",
    422: "the request is not well formed (`invalid_request`, `workspace_required`)",
    503: "try again (`overloaded`, `log_unavailable`, `facts_unreadable`)",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error replies of a route, for the OpenAPI document. Four can come from every route."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": _MEANINGS[status], "content": content}
        for status in sorted({401, 421, 503, *statuses})
    }
