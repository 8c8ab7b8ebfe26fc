"""Who may ask, and how much at once: Host, Origin, bearer token, body size, concurrency.

Pure ASGI and plain functions, because the decision route runs the same checks inline and
a framework middleware costs several times the decision itself.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from phasegate.api.problems import MEDIA_TYPE, extra_headers, problem_bytes
from phasegate.errors import (
    BodyTooLarge,
    HostRefused,
    InvalidRequest,
    Overloaded,
    PhasegateError,
    TokenRequired,
)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refuse = Callable[[Scope, Send, PhasegateError], Awaitable[bool]]

BODY_LIMIT = 1024 * 1024
HOOK_BODY_LIMIT = 16 * 1024 * 1024
_DRAINED = 4 * HOOK_BODY_LIMIT
HOOKS = "/v1/hooks/"
# Probes of an orchestrator carry no token; the answers name no path.
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
_LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
_REMEMBERED = 256


class Disconnected(Exception):
    """The client left before its request was complete."""


@dataclass(slots=True)
class Gate:
    """The checks every request passes, and the requests that are in progress.

    `names` are the host names that a Host or Origin header may carry; a page of another
    site that resolves to this machine has none of them. Requests over a Unix socket carry
    no name worth checking.
    """

    token: str | None = None
    names: frozenset[str] = frozenset(_LOCAL_NAMES)
    limit: int = 512
    active: int = 0
    _hosts: dict[bytes, bool] = field(default_factory=dict)

    @classmethod
    def for_names(cls, names: Iterable[str], token: str | None, limit: int) -> Gate:
        return cls(token=token, names=frozenset(_LOCAL_NAMES).union(names), limit=limit)

    def check(self, scope: Scope) -> int:
        """Check the head of a request; return the announced body length, 0 when none is.

        Raises `HostRefused`, `TokenRequired`, `InvalidRequest` or `Overloaded`.
        """
        host = origin = authorization = None
        length = 0
        for name, value in scope["headers"]:
            if name == b"host":
                # Which of two names counts is not known; neither does.
                host = value if host is None else b""
            elif name == b"content-length":
                length = _length(value)
            elif name == b"authorization":
                authorization = value
            elif name == b"origin":
                origin = value
        self._check_names(scope, host, origin)
        if self.token is not None and scope["path"] not in OPEN_PATHS:
            self._check_token(authorization)
        if self.active >= self.limit:
            raise Overloaded(f"{self.limit} requests are in progress", remedy="try again in a second")
        return length

    def _check_names(self, scope: Scope, host: bytes | None, origin: bytes | None) -> None:
        server = scope.get("server")
        over_tcp = server is not None and server[1] is not None
        if over_tcp and not self._is_known(host or b""):
            raise HostRefused(
                f"`Host: {_shown(host or b'')}` does not name this service",
                remedy="ask for `127.0.0.1` or `localhost`, or add the name to `allowed_hosts`",
            )
        if origin is not None and not self._is_known(_authority(origin)):
            raise HostRefused(
                f"requests from the web page `{_shown(origin)}` are refused", remedy="ask from a program"
            )

    def _is_known(self, host: bytes) -> bool:
        known = self._hosts.get(host)
        if known is None:
            name = host.decode("latin-1").lower()
            bare = name.rpartition(":")[0] if ":" in name.rpartition("]")[2] else name
            known = bare in self.names
            if len(self._hosts) < _REMEMBERED:
                self._hosts[host] = known
        return known

    def _check_token(self, authorization: bytes | None) -> None:
        expected = f"Bearer {self.token}".encode()
        if authorization is None or not hmac.compare_digest(authorization, expected):
            raise TokenRequired(
                "the bearer token is missing or wrong",
                remedy="send `Authorization: Bearer TOKEN`; the command line takes it from `PHASEGATE_TOKEN`",
            )


async def _no_special(scope: Scope, send: Send, error: PhasegateError) -> bool:
    del scope, send, error
    return False


def guarded(app: App, gate: Gate, refuse: Refuse = _no_special) -> App:
    """*app* behind the checks, with its whole body read within its limit before it starts.

    *refuse* may answer a refusal in a form of its own; then it returns True.
    """

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        length = 0
        try:
            length = gate.check(scope)
            body = await read_body(receive, length, _body_limit(scope))
        except PhasegateError as error:
            if isinstance(error, BodyTooLarge) and length and scope["path"].startswith(HOOKS):
                # A runtime whose connection breaks while it sends takes the hook for broken and runs the tool.
                await _drain(receive)
            if not await refuse(scope, send, error):
                await send_problem(send, error)
            return
        except Disconnected:
            return
        gate.active += 1
        try:
            await app(scope, _replay(body, receive), send)
        finally:
            gate.active -= 1

    return run


async def read_body(receive: Receive, length: int, limit: int) -> bytes:
    """The whole body. Raises `BodyTooLarge` as soon as it is announced or seen to be over *limit*."""
    if length > limit:
        raise _too_large(limit)
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Disconnected
    body: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        if len(body) > limit:
            raise _too_large(limit)
        return body
    chunks = [body]
    size = len(body)
    while message.get("more_body", False):
        if size > limit:
            raise _too_large(limit)
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
    if size > limit:
        raise _too_large(limit)
    return b"".join(chunks)


async def _drain(receive: Receive) -> None:
    """Take in the rest of a body that is refused, within reason."""
    left = _DRAINED
    while left > 0:
        message = await receive()
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
        left -= len(message.get("body", b""))


async def send_problem(send: Send, error: PhasegateError) -> None:
    """Answer with a problem document; the connection ends when the body was left unread."""
    body = problem_bytes(error)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in extra_headers(error).items()),
    ]
    if not isinstance(error, InvalidRequest):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": error.http_status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = True

    async def again() -> Message:
        nonlocal waiting
        if waiting:
            waiting = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


def _body_limit(scope: Scope) -> int:
    return HOOK_BODY_LIMIT if scope["path"].startswith(HOOKS) else BODY_LIMIT


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"the body is over {limit} bytes", remedy="leave out file contents")


def _authority(origin: bytes) -> bytes:
    """Host and port of an Origin header; empty for one that is no URL."""
    try:
        return urlsplit(origin.decode("latin-1")).netloc.encode("latin-1")
    except ValueError:
        return b""


def _length(value: bytes) -> int:
    if not value.isdigit():
        raise InvalidRequest("the `Content-Length` header is not a number", remedy="send its length in bytes")
    return int(value[:20])


def _shown(value: bytes) -> str:
    return value[:80].decode("ascii", "replace")
