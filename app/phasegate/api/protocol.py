"""A connection: bounds on the bytes of a request's head, and on the time that it takes to come."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Literal

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from phasegate.api.problems import MEDIA_TYPE

# From a request's first byte to its last, and from a connection to its first byte.
_ARRIVAL_SECONDS = 30.0


def last_words(status: int, document: bytes) -> bytes:
    """A whole response: a problem document, after which the connection ends."""
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: {MEDIA_TYPE}\r\n"
        f"content-length: {len(document)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + document


def _refusal(status: int, title: str, code: str, detail: str, remedy: str) -> bytes:
    document = {
        "type": "about:blank", "title": title, "status": status, "code": code,
        "detail": detail, "remedy": remedy, "errors": [],
    }  # fmt: skip
    return last_words(status, orjson.dumps(document))


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
        # Since when nothing is owed, after an answer that uvicorn knows nothing of.
        self._rested: float | None = None
        self._head_bytes = 0
        self.refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._since = self.loop.time()

    def data_received(self, data: bytes) -> None:
        if self.refused:
            return
        self._head_bytes += len(data)
        self._rested = None
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
        if not self.refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._part = ""
        self._since = None
        self._head_bytes = 0
        if not self.refused:
            super().on_message_complete()

    def expire(self, now: float) -> None:
        """End the connection of a client that is too slow, or idle; *now* is the loop's time."""
        if self._rested is not None and now - self._rested >= self.timeout_keep_alive:
            self.transport.close()
        if self._since is None or now - self._since < self.arrival_seconds:
            return
        self._since = now
        if self.refused:
            # It does not take in the answer either.
            self.transport.abort()
        elif self._is_answering():
            # Reading may rest until that is done: the time starts again.
            return
        elif self._part == "head" or (self._part == "body" and not self.cycle.response_started):
            self._refuse(_TOO_SLOW)
        else:
            self._refuse(b"")

    def is_at_rest(self) -> bool:
        """Whether the next byte begins a request, and none is waiting for its answer."""
        done = self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]  # at first None
        return done and not self._part and not self.refused

    def take_whole(self) -> None:
        """Account for a request that came in one piece and is answered without uvicorn."""
        self._since = self._rested = None
        self._unset_keepalive_if_required()

    def rest(self) -> None:
        """Account for its answer."""
        self._rested = self.loop.time()

    def _is_answering(self) -> bool:
        """Whether the response to an earlier request is under way."""
        if self._part == "body":
            return bool(self.pipeline)
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]  # at first None

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _refuse(self, answer: bytes) -> None:
        self.refused = True
        self.transport.write(answer)
        self.transport.close()
