"""The proxy for streamable HTTP: a reverse proxy in front of one MCP endpoint.

POSTed messages are judged; everything that may go on is sent upstream as it came, and
answers (JSON or an event stream) are handed back chunk by chunk.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

import httpx

from phasegate.mcp.gate import Gate

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

MAX_BODY: Final = 1 << 24
# Between two hops only, or set anew by the next one.
_HOP: Final = frozenset(
    (b"host", b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"te", b"upgrade")
)
_TIMEOUT: Final = httpx.Timeout(30.0, read=None)


class TooLarge(ValueError):
    """A message is over `MAX_BODY`."""


class HttpProxy:
    """An ASGI application in front of *upstream*, the URL of the server's endpoint."""

    def __init__(self, gate: Gate, upstream: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._gate = gate
        self._upstream = upstream
        self._http = httpx.AsyncClient(timeout=_TIMEOUT, transport=transport)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await self._http.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await _body(receive)
        except TooLarge:
            await _respond(send, 413, b"text/plain", b"the message is too large")
            return
        if scope["method"] == "POST":
            passage = await self._gate.judge(body)
            if not passage.forward:
                empty = passage.reply is None
                await _respond(
                    send, 202 if empty else 200, b"application/json", b"" if empty else passage.reply_bytes()
                )
                return
        try:
            await self._pass_on(scope, body, send)
        except httpx.TransportError as error:
            await _respond(
                send, 502, b"text/plain", f"no MCP server answers ({type(error).__name__})".encode()
            )

    async def _pass_on(self, scope: Scope, body: bytes, send: Send) -> None:
        query = scope.get("query_string", b"").decode("latin-1")
        url = self._upstream + (f"?{query}" if query else "")
        request = self._http.build_request(
            scope["method"], url, headers=_kept(scope["headers"]), content=body or None
        )
        response = await self._http.send(request, stream=True)
        try:
            headers = _kept(response.headers.raw)
            await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
            async for chunk in response.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            await response.aclose()


async def _body(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(chunks)
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > MAX_BODY:
            raise TooLarge
        if not message.get("more_body"):
            return b"".join(chunks)


def _kept(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    return [(name, value) for name, value in headers if name.lower() not in _HOP]


async def _respond(send: Send, status: int, kind: bytes, body: bytes) -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
