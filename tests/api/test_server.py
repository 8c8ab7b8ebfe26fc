"""A client that sends too slowly loses its connection; one that waits for its answer does not."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import socket

import pytest

from phasegate.api.gate import Disconnected, read_body
from phasegate.api.server import make_server

BOUND = 0.4
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
WHOLE = HEAD + b"body"


class Application:
    """Reads each request whole, then answers after `delay` seconds; `early` answers before the body is there."""

    def __init__(self) -> None:
        self.delay = 0.0
        self.early = False
        self.answer = b"ok"
        self.bodies: list[bytes] = []
        self.left = 0

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "lifespan":
            for done in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{done}.complete"})
            return
        try:
            if not self.early:
                self.bodies.append(await read_body(receive, 0, 1_000_000))
        except Disconnected:
            self.left += 1
            return
        await asyncio.sleep(self.delay)
        headers = [(b"content-length", str(len(self.answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self.answer})


class Guest:
    """One connection to the server."""

    def __init__(self, reader, writer) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def rest(self) -> bytes:
        """All that comes until the server closes."""
        found = b""
        # One that is still sending when the server closes is reset after what it was told.
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(20):
                while chunk := await self.reader.read(65536):
                    found += chunk
        return found

    async def answer(self) -> bytes:
        async with asyncio.timeout(20):
            return await self.reader.readuntil(b"ok")

    async def is_open(self) -> bool:
        """Whether the connection lives on for three times the bound."""
        try:
            async with asyncio.timeout(3 * BOUND):
                return await self.reader.read(1) != b""
        except TimeoutError:
            return True


class Host:
    """A running server with a short bound, and its guests."""

    def __init__(self, application) -> None:
        self.server = make_server(application, 65536)
        self.server.config.http.arrival_seconds = BOUND
        self.server.sweep_ticks = 1
        self.server.capture_signals = contextlib.nullcontext
        self.guests: list[Guest] = []
        self.address = ("", 0)

    async def connect(self) -> Guest:
        self.guests.append(Guest(*await asyncio.open_connection(*self.address)))
        return self.guests[-1]

    async def run(self, story) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = listener.getsockname()
        serving = asyncio.create_task(self.server.serve(sockets=[listener]))
        try:
            await until(lambda: self.server.started)
            await story(self)
        finally:
            for guest in self.guests:
                guest.writer.close()
            self.server.should_exit = True
            await serving


async def until(condition) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 (uvicorn gives no event to wait for)
            await asyncio.sleep(0.01)


@pytest.fixture
def application():
    return Application()


@pytest.fixture
def visit(application):
    """Runs a coroutine function with a `Host`, on the loop that a service runs on."""
    thresholds = gc.get_threshold()
    host = Host(application)
    with asyncio.Runner(loop_factory=host.server.config.get_loop_factory()) as runner:
        yield lambda story: runner.run(host.run(story))
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def assert_too_slow(answer: bytes) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (408, "request_timeout")
    assert problem["remedy"]


@pytest.mark.parametrize("part", [b"P", HEAD[:30], HEAD, HEAD + b"bod"], ids=["byte", "line", "head", "body"])
def test_a_request_that_stays_incomplete_is_408(visit, application, part):
    async def story(host):
        guest = await host.connect()
        guest.send(part)
        assert_too_slow(await guest.rest())

    visit(story)
    assert application.bodies == []
    assert application.left == (HEAD in part)


def test_sending_on_and_on_does_not_renew_the_time(visit):
    """One byte now and then is how a few clients hold all connections of a server."""

    async def story(host):
        guest = await host.connect()
        guest.send(HEAD[:-2])
        closed = asyncio.create_task(guest.rest())
        number = 0
        while not closed.done():
            guest.send(b"X-%d: a\r\n" % number)
            number += 1
            await asyncio.sleep(BOUND / 8)
        assert_too_slow(closed.result())

    visit(story)


def test_the_second_request_of_a_connection_is_bounded_like_the_first(visit, application):
    async def story(host):
        guest = await host.connect()
        guest.send(WHOLE + WHOLE)
        await guest.answer()
        await guest.answer()
        guest.send(WHOLE + HEAD)
        await guest.answer()
        assert_too_slow(await guest.rest())

    visit(story)
    assert application.bodies == [b"body"] * 3


@pytest.mark.parametrize("sent", [b"", b"\r\n"])
def test_a_connection_without_a_request_is_closed_without_a_word(visit, sent):
    """A 408 could be taken for the answer to a request that is just on its way."""

    async def story(host):
        guest = await host.connect()
        guest.send(sent)
        assert await guest.rest() == b""

    visit(story)


def test_line_feeds_do_not_keep_a_connection_after_its_request(visit):
    async def story(host):
        guest = await host.connect()
        guest.send(WHOLE)
        await guest.answer()
        guest.send(b"\r\n")
        assert await guest.rest() == b""

    visit(story)


def test_one_that_waits_between_its_requests_stays(visit, application):
    async def story(host):
        guest = await host.connect()
        for parts in ([WHOLE], [HEAD, b"body"], [HEAD + b"b", b"od", b"y"]):
            for part in parts:
                guest.send(part)
                await asyncio.sleep(BOUND / 10)
            await guest.answer()
            assert await guest.is_open()

    visit(story)
    assert application.bodies == [b"body"] * 3


def test_one_that_waits_for_its_answer_stays(visit, application):
    application.delay = 3 * BOUND

    async def story(host):
        guest = await host.connect()
        guest.send(HEAD + b"bo")
        await asyncio.sleep(BOUND / 10)
        guest.send(b"dy")
        assert (await guest.answer()).startswith(b"HTTP/1.1 200 ")

    visit(story)


def test_an_answer_under_way_is_not_cut_by_what_follows_it(visit, application):
    """Also with the next request begun, whose time starts when its turn comes."""
    application.delay = 3 * BOUND

    async def story(host):
        for begun in (b"POST", HEAD):
            guest = await host.connect()
            guest.send(WHOLE + begun)
            answer, _, rest = (await guest.rest()).partition(b"ok")
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert_too_slow(rest)

    visit(story)


def test_a_body_that_nobody_waits_for_gets_no_second_answer(visit, application):
    application.early = True

    async def story(host):
        guest = await host.connect()
        guest.send(HEAD)
        answer = await guest.rest()
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.count(b"HTTP/1.1") == 1

    visit(story)


def test_one_that_does_not_take_its_answer_is_dropped(visit, application):
    """Closing alone would wait until all is sent, which this client never lets happen."""
    application.early = True
    application.answer = bytes(64 * 1024 * 1024)

    async def story(host):
        guest = await host.connect()
        guest.writer.transport.pause_reading()
        guest.send(HEAD)
        await until(lambda: host.server.server_state.total_requests)
        await until(lambda: not host.server.server_state.connections)

    visit(story)
