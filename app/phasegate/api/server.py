"""uvicorn set up for decisions: bounded heads, no Nagle, a quiet garbage collector, a clean stop."""

from __future__ import annotations

import contextlib
import gc
import logging
import signal
import socket
from collections.abc import Iterator
from types import FrameType
from typing import Any

import orjson
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from phasegate.api.problems import MEDIA_TYPE

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 75
_GRACE_SECONDS = 30
# Decisions make few cycles; a full collection in the middle of a burst is what p99 is made of.
_COLLECT_EVERY = (10_000, 50, 1000)

_HEAD_TOO_LARGE = orjson.dumps(
    {
        "type": "about:blank",
        "title": "Request Header Fields Too Large",
        "status": 431,
        "code": "headers_too_large",
        "detail": "the request's head is over its limit",
        "remedy": "send fewer or shorter headers",
        "errors": [],
    }
)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a bound on the bytes of a request's head."""

    head_limit = 65536

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = False
        self._head_bytes = 0
        self._refused = False

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self.head_limit:
            self._refuse_head()

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        # Only a head that came with more than the limit can be over it: no sum on the usual path.
        if self._head_bytes > self.head_limit and self._head_size() > self.head_limit:
            self._refuse_head()
            return
        self._head_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._head_bytes = 0
        if not self._refused:
            super().on_message_complete()

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _refuse_head(self) -> None:
        self._refused = True
        head = (
            f"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(_HEAD_TOO_LARGE)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + _HEAD_TOO_LARGE)
        self.transport.close()


class Server(uvicorn.Server):
    """uvicorn's server that ends normally, with exit code 0, after SIGTERM or SIGINT."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_COLLECT_EVERY)

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
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return Server(config)
