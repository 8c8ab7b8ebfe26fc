"""`POST /v1/decisions`: the hot route, as a raw ASGI application in front of FastAPI.

A framework route costs more than the whole decision. This one reads the body, checks it
with the same pydantic model that every other route uses, and writes the reply as bytes.
Our own server takes plain requests before they come here (see `express`).
It is declared in the OpenAPI document (see `declare`), and a test proves that schema,
errors and FastAPI's own agree.
"""

from __future__ import annotations

import logging
from time import perf_counter_ns
from typing import Any

from phasegate.api.gate import (
    BODY_LIMIT,
    App,
    Disconnected,
    Gate,
    Receive,
    Scope,
    Send,
    read_body,
    send_problem,
)
from phasegate.api.models import DecisionRequest, parse_call
from phasegate.api.path_map import mapped
from phasegate.api.problems import unexpected_error
from phasegate.api.replies import JSON, problems
from phasegate.api.reply_models import DecisionReply
from phasegate.errors import PhasegateError
from phasegate.service import Service
from phasegate.workspace.path_map import PathMap

logger = logging.getLogger("phasegate")
PATH = "/v1/decisions"


def decision_route(inner: App, service: Service, gate: Gate, paths: PathMap) -> App:
    """*inner* with the decision route in front of it."""

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await inner(scope, receive, send)
            return
        started = perf_counter_ns()
        try:
            body = await read_body(receive, gate.check(scope), BODY_LIMIT)
            call = mapped(paths, parse_call(body))
            gate.active += 1
            try:
                reply = (await service.evaluate(call, started)).reply_bytes()
            finally:
                gate.active -= 1
        except PhasegateError as error:
            await send_problem(send, error)
            return
        except Disconnected:
            return
        except Exception as error:
            # A defect of ours: no decision is given, which every client takes by its failure mode.
            logger.exception("deciding a call failed")
            await send_problem(send, unexpected_error(error))
            return
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    (b"content-type", b"application/json"),
                    (b"content-length", b"%d" % len(reply)),
                ],
            }
        )
        await send({"type": "http.response.body", "body": reply})

    return route


def declare(document: dict[str, Any]) -> None:
    """Add the route to an OpenAPI *document*, in the words of the models that it checks with."""
    schemas = document["components"]["schemas"]
    for model in (DecisionRequest, DecisionReply):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        for name, part in schema.pop("$defs", {}).items():
            schemas.setdefault(name, part)
        schemas[model.__name__] = schema
    document["paths"].setdefault(PATH, {})["post"] = {
        "tags": ["decisions"],
        "summary": "Decide",
        "description": "Decide one call and record the decision, durably, before the reply leaves.",
        "operationId": "decide_v1_decisions_post",
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/DecisionRequest"}}},
        },
        "responses": {
            "200": {
                "description": "The decision, allow or deny.",
                "content": {JSON: {"schema": {"$ref": "#/components/schemas/DecisionReply"}}},
            },
            **{str(status): reply for status, reply in problems(403, 413, 422).items()},
        },
    }
