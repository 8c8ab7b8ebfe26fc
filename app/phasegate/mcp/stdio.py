"""The proxy between a client on our own standard streams and a server that we start.

One JSON message per line each way. Lines that go through are the same bytes; the server
speaks to the client directly but for whole-line order with our own answers.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO, Final

from phasegate.mcp.gate import Gate, Passage

MAX_LINE: Final = 1 << 24
GRACE: Final = 5.0


async def run(gate: Gate, argv: Sequence[str]) -> int:
    """Proxy until either side ends; the server's exit code."""
    server = await asyncio.create_subprocess_exec(
        *argv, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=MAX_LINE
    )
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("the server was started without pipes")
    out = _Lines(sys.stdout.buffer)
    upward = asyncio.create_task(_client_to_server(gate, await _standard_input(), server.stdin, out))
    downward = asyncio.create_task(_server_to_client(server.stdout, out))
    await asyncio.wait({upward, downward}, return_when=asyncio.FIRST_COMPLETED)
    if not downward.done():
        with suppress(TimeoutError):
            await asyncio.wait_for(downward, GRACE)
    upward.cancel()
    return await _ended(server)


async def _ended(server: asyncio.subprocess.Process) -> int:
    try:
        return await asyncio.wait_for(server.wait(), GRACE)
    except TimeoutError:
        server.terminate()
        return await server.wait()


class _Lines:
    """Whole lines to the client, one at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = asyncio.Lock()

    async def write(self, line: bytes) -> None:
        async with self._lock:
            await asyncio.to_thread(self._write, line)

    def _write(self, line: bytes) -> None:
        self._stream.write(line)
        self._stream.flush()


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=MAX_LINE)
    pipe = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


async def _client_to_server(
    gate: Gate, client: asyncio.StreamReader, server: asyncio.StreamWriter, out: _Lines
) -> None:
    """Judge and pass on, in order: a later message must not overtake one that is being judged."""
    try:
        while line := await client.readline():
            passage = await gate.judge(line)
            if passage.forward:
                server.write(line)
                await server.drain()
            else:
                await _answer(passage, out)
    except (ConnectionError, ValueError):
        # The server is gone, or a line is over the limit: nothing more can be passed on.
        return
    finally:
        server.close()


async def _answer(passage: Passage, out: _Lines) -> None:
    if passage.reply is not None:
        await out.write(passage.reply_bytes() + b"\n")


async def _server_to_client(server: asyncio.StreamReader, out: _Lines) -> None:
    with suppress(ValueError):
        while line := await server.readline():
            await out.write(line)
