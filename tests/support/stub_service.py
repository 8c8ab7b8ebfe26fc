"""A service that answers hooks as told, on a Unix socket or a port, without phasegate.

    stub_service.py SOCKET STARTS_FILE [DELAY]

As a program it notes its start in STARTS_FILE, waits DELAY seconds and then answers every
request with an empty pass, naming its own process id: what an autostarted service looks like.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Stub:
    """Answers each connection with `answer`; keeps the requests. Empty answer: say nothing."""

    answer: bytes = b""
    delay: float = 0.0
    requests: list[bytes] = field(default_factory=list)
    listener: socket.socket | None = None

    def serve(self, listener: socket.socket) -> None:
        self.listener = listener
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        # A client that gave up before the answer is what some tests are about.
        with connection, suppress(ConnectionError):
            self.requests.append(read_request(connection))
            time.sleep(self.delay)
            if self.answer:
                connection.sendall(self.answer)


def _some(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise ConnectionResetError("the client left before its request was complete")
    return data


def read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    while len(body) < length:
        body += _some(connection)
    return head + b"\r\n\r\n" + body


def reply(body: bytes = b"", *, code: int = 0, stream: str = "stdout", status: str = "200 OK") -> bytes:
    """The bytes of an answer with the headers that the hook obeys."""
    head = (
        f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n"
        f"phasegate-exit: {code}\r\nphasegate-stream: {stream}\r\n\r\n"
    )
    return head.encode() + body


@contextmanager
def on_socket(stub: Stub, path: str) -> Iterator[Stub]:
    """*stub* listening on the Unix socket *path*."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    yield from _listening(stub, listener)


@contextmanager
def on_port(stub: Stub) -> Iterator[int]:
    """*stub* listening on a free loopback port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    for _ in _listening(stub, listener):
        yield port


def _listening(stub: Stub, listener: socket.socket) -> Iterator[Stub]:
    listener.listen(512)
    threading.Thread(target=stub.serve, args=(listener,), daemon=True).start()
    try:
        yield stub
    finally:
        listener.close()


def main() -> None:
    path, starts, delay = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with open(starts, "a", encoding="ascii") as file:  # noqa: PTH123 (pathlib would slow 200 starts down)
        file.write(f"{os.getpid()}\n")
    time.sleep(delay)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(512)
    Stub(reply(str(os.getpid()).encode())).serve(listener)


if __name__ == "__main__":
    main()
