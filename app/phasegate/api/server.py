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
from typing import Any

import uvicorn

from phasegate.api.express import DecisionProtocol, Desk
from phasegate.api.protocol import BoundedProtocol

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 75
_GRACE_SECONDS = 30
# Decisions make few cycles; a full collection in the middle of a burst is what p99 is made of.
_COLLECT_EVERY = (10_000, 50, 1000)

_SWEEP_TICKS = 50  # uvicorn ticks ten times a second


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


def make_server(app: Any, head_limit: int, desk: Desk | None = None) -> Server:
    """A server for *app*; run it with `server.run(sockets=[...])`. *desk*: where plain decisions are made."""
    base = BoundedProtocol if desk is None else DecisionProtocol
    bounds = {"head_limit": head_limit} if desk is None else {"head_limit": head_limit, "desk": desk}
    protocol = type("Protocol", (base,), bounds)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        loop="auto",
        http=protocol,
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
