"""Keep-alive load on one HTTP address, from raw asyncio sockets: the client must cost less than the server."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import quantiles

TICKS = os.sysconf("SC_CLK_TCK")


def request_bytes(path: str, body: bytes, host: str = "127.0.0.1") -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@dataclass
class Load:
    """What one stretch of load measured. Latencies in seconds, CPU in seconds of the server process."""

    seconds: float
    cpu: float
    latencies: list[float] = field(default_factory=list)
    statuses: dict[bytes, int] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    @property
    def cpu_per_request(self) -> float:
        return self.cpu / max(1, len(self.latencies))

    def percentile(self, percent: int) -> float:
        return quantiles(self.latencies, n=100)[percent - 1]


class Connection(asyncio.Protocol):
    """One request in flight at a time; the next is sent from within the reply's callback."""

    def __init__(self, requests: list[bytes], load: Load, first: int = 0) -> None:
        self.requests = requests
        self.load = load
        self.sent = first
        self.started = 0.0
        self.buffer = b""
        self.running = True
        self.done = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.started = time.perf_counter()
        self.transport.write(self.requests[self.sent % len(self.requests)])
        self.sent += 1

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator or len(body) < content_length(head):
            return
        self.load.latencies.append(time.perf_counter() - self.started)
        status = head[9:12]
        self.load.statuses[status] = self.load.statuses.get(status, 0) + 1
        self.buffer = b""
        if self.running:
            self.send()
        else:
            self.finish()

    def finish(self) -> None:
        self.transport.close()
        if not self.done.done():
            self.done.set_result(None)

    def connection_lost(self, exc) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("the server closed the connection"))


def content_length(head: bytes) -> int:
    place = head.lower().index(b"content-length:") + len(b"content-length:")
    end = head.find(b"\r\n", place)
    return int(head[place : end if end != -1 else len(head)])


async def run_load(
    address: tuple[str, int],
    pid: int,
    requests: list[bytes],
    connections: int,
    seconds: float,
    first: int = 0,
) -> Load:
    """Keep *connections* busy for *seconds* and measure. *first*: how far each already is in its requests."""
    loop = asyncio.get_running_loop()
    load = Load(seconds, 0.0)
    before = cpu_seconds(pid)
    started = time.perf_counter()
    # Each connection begins elsewhere in the list, so that they do not ask for the same in step.
    spread = max(1, len(requests) // connections)
    made = [
        (
            await loop.create_connection(
                partial(Connection, requests, load, number * spread + first), *address
            )
        )[1]
        for number in range(connections)
    ]
    await asyncio.sleep(seconds)
    for connection in made:
        connection.running = False
    await asyncio.gather(*(connection.done for connection in made))
    load.seconds = time.perf_counter() - started
    load.cpu = cpu_seconds(pid) - before
    return load


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
