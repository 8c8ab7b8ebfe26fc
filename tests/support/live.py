"""A real server in this process, on threads of its own, asked over plain sockets."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from phasegate.api.app import create_app, create_desk, create_gate
from phasegate.api.server import make_server
from phasegate.service import open_service
from phasegate.settings import load_settings

SECONDS = 20
FUTURE = ".recursive/run/r1/02-to-be-plan.md"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_OWN = re.compile(
    rb'"(decision_id|at|hash)":"[^"]*"|"seq":\d+|^date: [^\r]*\r\n|content-length: \d+', re.MULTILINE
)


class Live:
    """A server of *workspaces* on TCP and a Unix socket; with *express* plain decisions take the short way."""

    def __init__(
        self, workspaces: Mapping[str, Path], home: Path, *, express: bool = True, **flags: Any
    ) -> None:
        named = [f"{name}={path}" for name, path in workspaces.items()]
        settings = load_settings(
            {"workspace": named, "data": str(home / "data"), **flags}, {"HOME": str(home)}
        )
        self.service = open_service(settings)
        self.gate = create_gate(settings)
        self.desk = create_desk(self.service, settings, self.gate)
        app = create_app(self.service, settings, self.gate)
        self.server = make_server(app, settings.max_header_bytes, self.desk if express else None)
        self.server.capture_signals = contextlib.nullcontext
        self.asked = 0
        self._count()
        self.uds = home / "s"
        self._listeners = [socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)]
        self._listeners[1].bind(str(self.uds))
        self.port = self._listeners[0].getsockname()[1]
        self._thread = threading.Thread(target=self._run)

    def _count(self) -> None:
        ask = self.desk.ask

        def counted(asked: Any) -> None:
            self.asked += 1
            ask(asked)

        self.desk.ask = counted

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=self.server.config.get_loop_factory()) as runner:
            self.loop = runner.get_loop()
            runner.run(self.server.serve(sockets=self._listeners))

    def start(self) -> None:
        self._thread.start()
        until(lambda: self.server.started)

    def stop(self) -> None:
        self.server.should_exit = True
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()

    def on_loop(self, function: Callable[[], Any]) -> Any:
        """Run *function* between two callbacks of the server's loop."""

        async def run() -> Any:
            return function()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(SECONDS)

    def connect(self, *, uds: bool = False) -> Client:
        found = socket.socket(socket.AF_UNIX if uds else socket.AF_INET)
        found.settimeout(SECONDS)
        found.connect(str(self.uds) if uds else ("127.0.0.1", self.port))
        return Client(found)

    def ask(self, *requests: bytes, uds: bool = False) -> list[bytes]:
        """Send requests one after the other on one connection; whole responses."""
        with self.connect(uds=uds) as client:
            answers = []
            for request in requests:
                client.send(request)
                answers.append(client.answer())
            return answers


class Client:
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def send_in_parts(self, *parts: bytes) -> None:
        """Each part arrives by itself."""
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            self.connection.sendall(part)
            time.sleep(0.003)

    def answer(self) -> bytes:
        """The next whole response; what there was when the server closes before its end."""
        while True:
            head, end, rest = self.buffer.removeprefix(_CONTINUE).partition(b"\r\n\r\n")
            found = re.search(rb"content-length: (\d+)", head.lower()) if end else None
            if found is not None and len(rest) >= int(found[1]):
                size = len(head) + len(end) + int(found[1])
                whole = self.buffer.removeprefix(_CONTINUE)
                answer, self.buffer = whole[:size], whole[size:]
                return answer
            if not self._receive():
                left, self.buffer = self.buffer, b""
                return left

    def rest(self) -> bytes:
        """All that comes until the server closes."""
        while self._receive():
            pass
        left, self.buffer = self.buffer, b""
        return left

    def _receive(self) -> bool:
        try:
            chunk = self.connection.recv(65536)
        except ConnectionResetError:
            return False
        self.buffer += chunk
        return bool(chunk)


@contextlib.contextmanager
def live(workspaces: Mapping[str, Path], home: Path, *, express: bool = True, **flags: Any) -> Iterator[Live]:
    thresholds = gc.get_threshold()
    found = Live(workspaces, home, express=express, **flags)
    found.start()
    try:
        yield found
    finally:
        found.stop()
        gc.unfreeze()
        gc.set_threshold(*thresholds)


def request(body: bytes | dict[str, Any], *headers: str, line: str = "POST /v1/decisions HTTP/1.1") -> bytes:
    """The bytes of a request; without *headers*, of a plain one."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [line, *(headers or ("Host: localhost", f"Content-Length: {len(data)}"))]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def shown(answer: bytes) -> bytes:
    """A response without what is its own each time."""
    return _OWN.sub(b"", answer)


def reply_of(answer: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return found


def status_of(answer: bytes) -> int:
    return int(answer[9:12])


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def call(roots, rel="src/a.py", **more):
    return {"tool": "write", "args": {"file_path": rel, "content": "x"}, "cwd": str(roots["one"]), **more}


def both(quick: Live, plain: Live, *requests: bytes, uds: bool = False) -> list[bytes]:
    """The answers of the quick server, after they were found to be those of the plain one."""
    ours, theirs = quick.ask(*requests, uds=uds), plain.ask(*requests, uds=uds)
    assert list(map(shown, ours)) == list(map(shown, theirs))
    return ours


def hold(found: Live) -> list:
    """Let requests for rounds wait; they are in the list."""
    waiting: list = []
    found.desk.ask = waiting.append
    return waiting


def release(found: Live, waiting: list) -> None:
    found.desk.ask = found.service.rounds.ask

    def ask():
        for asked in waiting:
            found.service.rounds.ask(asked)

    found.on_loop(ask)


def assert_idle(found: Live) -> None:
    """Whether nothing counts as in progress, soon."""
    until(lambda: found.gate.active == 0)
