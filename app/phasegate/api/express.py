"""Requests for a decision that come whole, answered without the ways of ASGI.

A task, a scope and two messages for each request cost more than the decision. So a
connection hands a plain `POST /v1/decisions` to the next round of decisions as soon as
its bytes are there. Plain is what the HTTP parser and the gate have passed before: the
very bytes of a head that they found in order stand for their verdict. Whatever is not
plain, and whatever is refused, takes the ordinary way and is answered there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from time import perf_counter_ns
from typing import Any

from phasegate.api.decision_route import PATH
from phasegate.api.gate import Gate
from phasegate.api.models import parse_call
from phasegate.api.path_map import mapped
from phasegate.api.problems import problem_bytes, unexpected_error
from phasegate.api.protocol import BoundedProtocol, last_words
from phasegate.core.call import ToolCall
from phasegate.errors import PhasegateError
from phasegate.service import Asked, Rounds
from phasegate.workspace.path_map import PathMap

logger = logging.getLogger("phasegate")

HEADS_KEPT = 512
LONGEST_HEAD = 2048
_START = f"POST {PATH} HTTP/1.1\r\n".encode()
_END = b"\r\n\r\n"
# Headers that ask for more than an answer; `connection: keep-alive` asks for nothing.
_SPECIAL = frozenset({b"transfer-encoding", b"expect", b"upgrade", b"connection"})
_KEEP_ALIVE = (b"connection", b"keep-alive")

Headers = Sequence[tuple[bytes, bytes]]


class Desk:
    """What all connections of a server share: the heads that are known, and the way to a decision."""

    def __init__(self, rounds: Rounds, gate: Gate, paths: PathMap) -> None:
        self.gate = gate
        self._rounds = rounds
        self._paths = paths
        # A head may pass on a Unix socket that is refused over TCP.
        self._heads: dict[bool, dict[bytes, int]] = {True: {}, False: {}}
        self._common: tuple[Headers, bytes] = ((), b"")

    def heads(self, over_tcp: bool) -> dict[bytes, int]:
        """Heads that may be answered here, with the lengths of the bodies they announce."""
        return self._heads[over_tcp]

    def call(self, body: bytes) -> ToolCall:
        """The call of a request. Raises as `parse_call`."""
        return mapped(self._paths, parse_call(body))

    def ask(self, asked: Asked) -> None:
        self._rounds.ask(asked)

    def reply(self, body: bytes, common: Headers) -> bytes:
        """A whole response; *common* are the headers of this second."""
        if common is not self._common[0]:
            lines = b"".join(b"%b: %b\r\n" % pair for pair in common)
            self._common = (common, b"HTTP/1.1 200 OK\r\n" + lines + b"content-type: application/json\r\n")
        return b"%bcontent-length: %d\r\n\r\n%b" % (self._common[1], len(body), body)


class DecisionProtocol(BoundedProtocol):
    """A connection with a short way for plain requests. `desk` is set by whoever makes the server."""

    desk: Desk

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._heads: dict[bytes, int] = {}
        self._unknown_head = b""
        # While a request waits for its round: what came after it.
        self._asking = False
        self._behind: list[bytes] = []
        self._leaving = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._heads = self.desk.heads(self.server is not None and self.server[1] is not None)

    def data_received(self, data: bytes) -> None:
        if self._asking:
            self._behind.append(data)
            self.flow.pause_reading()
            return
        if data.startswith(_START) and self.is_at_rest():
            end = data.find(_END, 0, LONGEST_HEAD) + len(_END)
            head = data[:end]
            length = self._heads.get(head)
            if length is None:
                self._unknown_head = head
            elif length == len(data) - end and self._ask(data, end):
                return
        super().data_received(data)
        self._unknown_head = b""

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        head, self._unknown_head = self._unknown_head, b""
        # A line for each header, and none that another reader might see: the head ends where it seems to.
        ends = len(self.headers) + 2
        if head.endswith(_END) and head.count(b"\r") == head.count(b"\n") == ends and not self.refused:
            length = self._plain_length()
            if length is not None:
                if len(self._heads) >= HEADS_KEPT:
                    self._heads.clear()
                self._heads[head] = length

    def shutdown(self) -> None:
        if self._asking:
            self._leaving = True
        else:
            super().shutdown()

    def _plain_length(self) -> int | None:
        """Length of the body that the head just parsed announces; None where the head is not plain."""
        names = [pair[0] for pair in self.headers if pair != _KEEP_ALIVE]
        if self.url != PATH.encode() or not _SPECIAL.isdisjoint(names) or names.count(b"content-length") != 1:
            return None
        if not self.parser.should_keep_alive():
            return None
        try:
            return self.desk.gate.check(self.scope)  # type: ignore[arg-type]  # a typed dict of the same
        except PhasegateError:
            return None

    def _ask(self, data: bytes, end: int) -> bool:
        """Let the request *data*, whose head ends at *end*, be decided; False when it is not plain after all."""
        started, gate = perf_counter_ns(), self.desk.gate
        if gate.active >= gate.limit or self.flow.write_paused:
            return False
        try:
            call = self.desk.call(data[end:])
        except Exception:  # noqa: BLE001 (the ordinary way meets it again, and answers)
            return False
        gate.active += 1
        self._asking = True
        self.take_whole()
        self.desk.ask(Asked(call, started, partial(self._answer, data)))
        return True

    def _answer(self, data: bytes, reply: bytes | Exception | None) -> None:
        self.desk.gate.active -= 1
        self._asking = False
        if self.transport.is_closing():
            return
        if reply is None:
            super().data_received(data)
        else:
            self.server_state.total_requests += 1
            self.transport.write(self._response(reply))
            self.rest()
        if self._leaving:
            super().shutdown()
        elif self._behind:
            behind, self._behind = b"".join(self._behind), []
            self.flow.resume_reading()
            self.data_received(behind)

    def _response(self, reply: bytes | Exception) -> bytes:
        if isinstance(reply, bytes):
            return self.desk.reply(reply, self.server_state.default_headers)
        logger.error("answering a call failed", exc_info=reply)
        self._leaving = True
        return last_words(500, problem_bytes(unexpected_error(reply)))
