"""uvicorn set up for decisions: bounded heads, no endless requests, no Nagle, a quiet garbage collector, a clean stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
import socket
from collections.abc import Iterator
from types import FrameType
from typing import Any, Literal

import orjson
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from phasegate.api.problems import MEDIA_TYPE

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 75
_GRACE_SECONDS = 30
# Decisions make few cycles; a full collection in the middle of a burst is what p99 is made of.
_COLLECT_EVERY = (10_000, 50, 1000)

# From a request's first byte to its last, and from a connection to its first byte.
_ARRIVAL_SECONDS = 30.0
_SWEEP_TICKS = 50  # uvicorn ticks ten times a second


def _refusal(status: int, title: str, code: str, detail: str, remedy: str) -> bytes:
    """A whole response: a problem document, after which the connection ends."""
    document = {
        "type": "about:blank", "title": title, "status": status, "code": code,
        "detail": detail, "remedy": remedy, "errors": [],
    }  # fmt: skip
    body = orjson.dumps(document)
    head = (
        f"HTTP/1.1 {status} {title}\r\ncontent-type: {MEDIA_TYPE}\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body


_HEAD_TOO_LARGE = _refusal(
    431,
    "Request Header Fields Too Large",
    "headers_too_large",
    "the request's head is over its limit",
    "send fewer or shorter headers",
)
_TOO_SLOW = _refusal(
    408,
    "Request Timeout",
    "request_timeout",
    "the request did not arrive whole in time",
    "send its head and body without a pause",
)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with bounds on the bytes of a request's head and on the time it takes to come.

    Nothing is timed for a request that comes in one piece: a sweep over all connections
    looks at the moments that others left (see `expire`).
    """

    head_limit = 65536
    arrival_seconds = _ARRIVAL_SECONDS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The part of a request that is still coming.
        self._part: Literal["", "head", "body"] = ""
        # Since when the client owes the rest of a request, or the first byte of one.
        self._since: float | None = None
        self._head_bytes = 0
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._since = self.loop.time()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._head_bytes += len(data)
        between, cycle = not self._part, self.cycle
        super().data_received(data)
        # Line feeds between requests begin none, and still end uvicorn's keep-alive timer.
        if self._since is None and (self._part or (between and self.cycle is cycle)):
            self._since = self.loop.time()
        if self._part == "head" and self._head_bytes > self.head_limit:
            self._refuse(_HEAD_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._part = "head"
        self._since = None
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._part = "body"
        # Only a head that came with more than the limit can be over it: no sum on the usual path.
        if self._head_bytes > self.head_limit and self._head_size() > self.head_limit:
            self._refuse(_HEAD_TOO_LARGE)
            return
        self._head_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._part = ""
        self._since = None
        self._head_bytes = 0
        if not self._refused:
            super().on_message_complete()

    def expire(self, now: float) -> None:
        """End the connection of a client that is too slow; *now* is the loop's time."""
        if self._since is None or now - self._since < self.arrival_seconds:
            return
        self._since = now
        if self._refused:
            # It does not take in the answer either.
            self.transport.abort()
        elif self._is_answering():
            # Reading may rest until that is done: the time starts again.
            return
        elif self._part == "head" or (self._part == "body" and not self.cycle.response_started):
            self._refuse(_TOO_SLOW)
        else:
            self._refuse(b"")

    def _is_answering(self) -> bool:
        """Whether the response to an earlier request is under way."""
        if self._part == "body":
            return bool(self.pipeline)
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]  # at first None

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _refuse(self, answer: bytes) -> None:
        self._refused = True
        self.transport.write(answer)
        self.transport.close()


class Server(uvicorn.Server):
    """uvicorn's server that ends normally, with exit code 0, after SIGTERM or SIGINT."""

    sweep_ticks = _SWEEP_TICKS

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_COLLECT_EVERY)

    async def on_tick(self, counter: int) -> bool:
        if counter % self.sweep_ticks == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, BoundedProtocol):
                    connection.expire(now)
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        def leave(number: int, frame: FrameType | None) -> None:
            del frame
            # A second Ctrl-C does not wait for the connections.
            self.force_exit = self.should_exit and number == signal.SIGINT
            self.should_exit = True

        before = {number: signal.signal(number, leave) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def make_server(app: Any, head_limit: int) -> Server:
    """A server for *app*; run it with `server.run(sockets=[...])`."""

    class Protocol(BoundedProtocol):
        pass

    Protocol.head_limit = head_limit
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        loop="auto",
        http=Protocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        # Nobody asks where a request came from, and every request would pay for the answer.
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return Server(config)
