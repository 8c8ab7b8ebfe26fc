"""Errors as `application/problem+json` (RFC 9457), with our stable `code`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from phasegate.errors import InvalidRequest, Overloaded, PhasegateError, TokenRequired

MEDIA_TYPE = "application/problem+json"
_QUOTED = 120

# What to do about a defect of each kind; the kinds are pydantic's.
_REMEDIES = {
    "extra_forbidden": "remove it; the fields are listed at /docs",
    "missing": "add it",
    "json_invalid": "send one JSON value in UTF-8",
    "string_too_long": "shorten it",
    "string_pattern_mismatch": "send an absolute path without a NUL character",
}
_NO_OBJECT = {
    "field": "body",
    "problem": "it is not a JSON object",
    "remedy": "send a JSON object as `application/json`",
}
_NO_OBJECT_KINDS = frozenset({"model_attributes_type", "model_type", "missing"})


def problem_body(error: PhasegateError) -> dict[str, Any]:
    """The document that describes *error*."""
    errors = [_named(item) for item in error.errors]
    return _document(error.http_status, error.code, error.detail, error.remedy, errors)


def _named(item: Mapping[str, Any]) -> dict[str, Any]:
    """One entry of `errors`; one that says where by `loc` and what by `msg` is renamed."""
    if "loc" not in item:
        return dict(item)
    return {"field": ".".join(str(part) for part in item["loc"]), "problem": str(item.get("msg", ""))}


def problem_bytes(error: PhasegateError) -> bytes:
    return orjson.dumps(problem_body(error))


def extra_headers(error: PhasegateError) -> dict[str, str]:
    """Headers that the status asks for."""
    if isinstance(error, TokenRequired):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, Overloaded):
        return {"Retry-After": "1"}
    return {}


def invalid_request(defects: Iterable[Mapping[str, Any]]) -> InvalidRequest:
    """Turn pydantic's list of defects into our error; each names its field and the remedy."""
    errors = [_defect(defect) for defect in defects]
    first = errors[0]
    return InvalidRequest(f"`{first['field']}`: {first['problem']}", remedy=first["remedy"], errors=errors)


def unexpected_error(error: Exception) -> PhasegateError:
    """What a defect of ours is answered with; it names nothing but its kind."""
    return PhasegateError(
        f"the guard failed ({type(error).__name__})", remedy="report it; see the service's output"
    )


def install(app: FastAPI) -> None:
    """Answer every error of the FastAPI part as a problem document."""

    def ours(request: Request, error: Exception) -> Response:
        del request
        if not isinstance(error, PhasegateError):
            raise error
        return _response(error.http_status, problem_body(error), extra_headers(error))

    def invalid(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestValidationError):
            raise error
        return ours(request, invalid_request(error.errors()))

    def http(request: Request, error: Exception) -> Response:
        del request
        if not isinstance(error, HTTPException):
            raise error
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        body = _document(error.status_code, code, str(error.detail).lower(), "", [])
        return _response(error.status_code, body, dict(error.headers or {}))

    def unexpected(request: Request, error: Exception) -> Response:
        # The server logs it with its traceback; the caller learns that it is our fault.
        return ours(request, unexpected_error(error))

    app.add_exception_handler(PhasegateError, ours)
    app.add_exception_handler(Exception, unexpected)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)


def _response(status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
    return Response(orjson.dumps(body), status, dict(headers), MEDIA_TYPE)


def _document(
    status: int, code: str, detail: str, remedy: str, errors: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "remedy": remedy,
        "errors": errors,
    }


def _defect(defect: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(defect["type"])
    if kind == "json_invalid":
        return {"field": "body", "problem": str(defect["ctx"]["error"]), "remedy": _REMEDIES[kind]}
    # FastAPI prefixes the part of the request; a body defect is named by its path alone.
    place = [str(part)[:_QUOTED] for part in defect["loc"]]
    field = ".".join(place[1:] if place[:1] in (["body"], ["query"], ["path"], ["header"]) else place)
    if not field and kind in _NO_OBJECT_KINDS:
        return dict(_NO_OBJECT)
    message = str(defect["msg"])
    problem = message[:1].lower() + message[1:]
    return {"field": field or "body", "problem": problem, "remedy": _REMEDIES.get(kind, "correct its value")}


def repeated_parameter(pairs: Iterable[tuple[str, str]]) -> InvalidRequest:
    """The error for a query that names a parameter twice: nobody knows which one counts."""
    names = [name for name, _ in pairs]
    twice = next(name for name in names if names.count(name) > 1)
    return invalid_request(
        [{"type": "repeated", "loc": ("query", twice), "msg": "it is given more than once"}]
    )
