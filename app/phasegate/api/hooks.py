"""`POST /v1/hooks/{runtime}`: a runtime's own payload in, the bytes it obeys out.

Always 200: most runtimes take any other status for a broken hook and run the tool. That
holds for our own refusals too (a body over its limit, too many requests).
"""

from __future__ import annotations

import logging
from dataclasses import replace
from urllib.parse import parse_qsl, unquote

from fastapi import APIRouter, Request, Response

from phasegate.api.gate import HOOKS, Refuse, Scope, Send
from phasegate.api.path_map import mapped
from phasegate.api.problems import invalid_request, unexpected_error
from phasegate.api.replies import problems
from phasegate.core.call import Mode, ToolCall
from phasegate.errors import PhasegateError
from phasegate.runtimes import (
    PASS,
    Answer,
    Hint,
    HookReply,
    HookRequest,
    Runtime,
    Transport,
    answer,
    deny,
    find,
    joined,
    parse,
    render,
)
from phasegate.service import Service
from phasegate.workspace.path_map import PathMap

logger = logging.getLogger("phasegate")
EXIT = "phasegate-exit"
STREAM = "phasegate-stream"
_PARAMETERS = ("event", "cwd", "run", "mode")
_LONGEST = 4096
_DAMAGED = "a locked file was changed behind the guard"


_REPLIES = {
    200: {
        "description": "The bytes that the runtime obeys.",
        "content": {"application/json": {}, "text/plain": {}},
    },
    **problems(422),
}
_DOCUMENT = {
    "requestBody": {"content": {"application/json": {"schema": {}}}, "required": True},
    "parameters": [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": meaning,
            "schema": {"type": "string", "maxLength": _LONGEST},
        }
        for name, meaning in (
            ("event", "The hook's event, where the payload does not say it."),
            ("cwd", "The working directory, where the payload does not say it."),
            ("run", "The run that the session is bound to (also as the header `Phasegate-Run`)."),
            ("mode", "`strict` tightens an advisory service."),
        )
    ],
}


def routes(service: Service, paths: PathMap) -> APIRouter:
    router = APIRouter(tags=["hooks"])

    @router.post("/v1/hooks/{runtime}", response_class=Response, responses=_REPLIES, openapi_extra=_DOCUMENT)
    async def hook(runtime: str, request: Request) -> Response:
        """Decide what a runtime's hook asks. The reply's headers tell a spawned client how to exit."""
        adapter = find(runtime)
        if adapter is None:
            message = f"runtime `{runtime[:64]}` is not known"
            raise invalid_request([{"type": "enum", "loc": ("path", "runtime"), "msg": message}])
        options = _options(dict(request.query_params), request.headers.get("phasegate-run"))
        payload = parse(adapter, await request.body(), Hint(options.get("event"), options.get("cwd")))
        calls = [mapped(paths, _with(call, options)) for call in payload.calls]
        try:
            said = await (_seen if payload.phase == "after" else _said)(service, calls)
        except PhasegateError as error:
            said = _unjudged(service, options, error)
        except Exception as error:
            # INVARIANT: a defect of ours is a denial too. With status 500 most runtimes run the tool.
            logger.exception("answering a hook failed")
            said = _unjudged(service, options, unexpected_error(error))
        reply = render(adapter, payload, said, _transport(request.headers.get("phasegate-transport")))
        return Response(reply.body, 200, _headers(reply), reply.content_type)

    return router


async def _said(service: Service, calls: list[ToolCall]) -> Answer:
    """The answer to all *calls* of one payload."""
    answers = [await service.evaluate_hook(call) for call in calls]
    return answer([given.decision for given in answers if given is not None])


async def _seen(service: Service, calls: list[ToolCall]) -> Answer:
    """After the tool: what it damaged, or nothing."""
    lines = [line for call in calls for line in await service.runs.observing.after(call)]
    return deny(f"{_DAMAGED}: " + "; ".join(lines)) if lines else PASS


def _unjudged(service: Service, options: dict[str, str], error: PhasegateError) -> Answer:
    """What is said when nothing could be judged: strict denies, advisory passes and says so."""
    text = joined(error.detail, error.remedy)
    if "strict" in (service.judge.builtin.mode, options.get("mode")):
        return deny(text)
    return Answer("pass", warning=f"phasegate (advisory): the call was not checked: {text}")


def _options(query: dict[str, str], run_header: str | None) -> dict[str, str]:
    found = {key: value[:_LONGEST] for key, value in query.items() if key in _PARAMETERS and value}
    if run_header:
        found["run"] = run_header[:_LONGEST]
    return found


def _with(call: ToolCall, options: dict[str, str]) -> ToolCall:
    """*call* with what the installed hook knows; a payload's own run id wins."""
    mode: Mode | None = "strict" if options.get("mode") == "strict" else call.mode
    return replace(call, run_id=call.run_id or options.get("run"), mode=mode)


def _transport(header: str | None) -> Transport:
    return "command" if header == "command" else "http"


def _headers(reply: HookReply) -> dict[str, str]:
    return {EXIT: str(reply.exit_code), STREAM: reply.stream}


def refusal(service: Service) -> Refuse:
    """How requests that are refused unread are answered when they are hooks."""

    async def refuse_hook(scope: Scope, send: Send, error: PhasegateError) -> bool:
        path: str = scope["path"]
        adapter = find(unquote(path.removeprefix(HOOKS))) if path.startswith(HOOKS) else None
        if adapter is None or scope["method"] != "POST":
            return False
        options = _options(dict(parse_qsl(scope["query_string"].decode("latin-1"))), None)
        event = options.get("event") or _first_event(adapter)
        request = HookRequest(adapter.id, event, adapter.capability(event).phase)
        transport = dict(scope["headers"]).get(b"phasegate-transport", b"").decode("latin-1")
        reply = render(adapter, request, _unjudged(service, options, error), _transport(transport))
        headers = _headers(reply) | {"content-type": reply.content_type, "connection": "close"}
        headers["content-length"] = str(len(reply.body))
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": pairs})
        await send({"type": "http.response.body", "body": reply.body})
        return True

    return refuse_hook


def _first_event(adapter: Runtime) -> str:
    return next((name for name, can in adapter.events.items() if can.phase == "before"), "")
