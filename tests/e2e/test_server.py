"""The real server: sockets, signals, death under load, many callers over a changing disk."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress

import httpx
import pytest

from support import inprocess, peer, servers, workload

LOCKED = ".recursive/run/r1/00-requirements.md"
ACTIVE = ".recursive/run/r1/01-as-is.md"


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "repo"
    inprocess.make_run(path)
    return path


class TestSockets:
    def test_tcp_and_unix_socket_answer_together(self, root, tmp_path):
        uds = tmp_path / "p.sock"
        with servers.service([root], tmp_path / "d" / "data", uds=uds) as running:
            over_tcp = httpx.get(f"{running.url}/healthz")
            with httpx.Client(
                transport=httpx.HTTPTransport(uds=str(uds)), base_url="http://any.name"
            ) as client:
                over_uds = client.get("/healthz")
                assert client.post("/v1/decisions", json={"tool": "read"}).status_code == 200

            assert over_tcp.status_code == over_uds.status_code == 200
            assert stat.S_IMODE(uds.stat().st_mode) == 0o600

    def test_the_socket_file_goes_with_the_service(self, root, tmp_path):
        uds = tmp_path / "p.sock"
        with servers.service([root], tmp_path / "d" / "data", tcp=False, uds=uds) as running:
            assert running.stop() == 0
        assert not uds.exists()

    def test_a_socket_left_by_a_killed_service_is_taken_over(self, root, tmp_path):
        uds = tmp_path / "p.sock"
        with servers.service([root], tmp_path / "d" / "data", tcp=False, uds=uds) as running:
            running.kill()
        assert uds.exists()

        with (
            servers.service([root], tmp_path / "d" / "data", tcp=False, uds=uds) as again,
            again.client() as client,
        ):
            assert client.get("/v1/decisions/verify").json()["ok"]

    def test_a_living_services_socket_is_not(self, root, tmp_path):
        uds = tmp_path / "p.sock"
        with servers.service([root], tmp_path / "d" / "data", tcp=False, uds=uds) as running:
            assert "another service listens" in self.refused(root, tmp_path, "--uds", str(uds))
            with running.client() as client:
                assert client.get("/healthz").status_code == 200

    def test_another_kind_of_file_in_its_place_is_left_alone(self, root, tmp_path):
        uds = tmp_path / "notes.txt"
        uds.write_text("mine")

        assert "not a socket" in self.refused(root, tmp_path, "--uds", str(uds))
        assert uds.read_text() == "mine"

    def test_a_taken_port_is_named(self, root, tmp_path):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])

            assert f"can't listen on `127.0.0.1:{port}`" in self.refused(root, tmp_path, "--port", port)

    def refused(self, root, tmp_path, *options: str) -> str:
        """What `serve` says when it does not start: one line and exit code 2."""
        argv = [sys.executable, "-m", "phasegate", "serve", "--workspace", str(root)]
        argv += ["--data", str(tmp_path / "other" / "data"), *options]
        env = servers.clean_environment(tmp_path)
        done = subprocess.run(argv, capture_output=True, text=True, env=env, timeout=60, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        return done.stderr


class TestHostileHeads:
    """Bytes that are no well-formed request must cost little and hurt nobody else."""

    @pytest.fixture
    def running(self, root, tmp_path):
        with servers.service([root], tmp_path / "d" / "data") as running:
            yield running
            assert httpx.get(f"{running.url}/healthz").status_code == 200

    def send(self, running, *chunks: bytes) -> bytes:
        with socket.create_connection(running.address, timeout=10) as connection:
            with suppress(ConnectionError):
                for chunk in chunks:
                    connection.sendall(chunk)
            answer = b""
            with suppress(ConnectionError, TimeoutError):
                while chunk := connection.recv(65536):
                    answer += chunk
                    if b"\r\n\r\n" in answer:
                        break
            return answer

    def test_a_head_over_its_limit_is_431(self, running):
        answer = self.send(
            running, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n"
        )

        assert answer.startswith(b"HTTP/1.1 431 ")

    def test_a_head_that_never_ends_is_431(self, running):
        answer = self.send(
            running, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", *[b"X: " + b"a" * 5000 + b"\r\n"] * 40
        )

        assert answer.startswith(b"HTTP/1.1 431 ")

    def test_a_body_over_its_limit_is_413_before_it_is_sent(self, running):
        head = b"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"

        assert self.send(running, head).startswith(b"HTTP/1.1 413 ")

    def test_a_chunked_body_over_its_limit_is_413(self, running):
        head = b"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"

        assert self.send(running, head, *[chunk] * 40).startswith(b"HTTP/1.1 413 ")

    @pytest.mark.parametrize(
        "head",
        [
            b"\x00\x01\x02\r\n\r\n",
            b"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            b"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        ],
    )
    def test_nonsense_is_400(self, running, head):
        assert self.send(running, head).startswith(b"HTTP/1.1 400 ")

    def test_a_client_that_leaves_in_the_middle_leaves_no_record(self, running):
        self.send_and_leave(
            running, b"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"
        )

        assert httpx.get(f"{running.url}/v1/decisions").json()["items"] == []

    def send_and_leave(self, running, data: bytes) -> None:
        with socket.create_connection(running.address) as connection:
            connection.sendall(data)


def hammer(running, root, acknowledged: list, stop: threading.Event) -> None:
    """Decide until the server is gone; keep what was acknowledged."""
    with running.client() as client:
        while not stop.is_set():
            try:
                reply = client.post("/v1/decisions", json=workload.call(root, "r1", peer.SEQUENCE[2]))
            except httpx.TransportError:
                return
            if reply.status_code == 200:
                acknowledged.append(reply.json()["record"])


def under_load(running, root, count: int, end) -> list:
    """Run eight callers and *end* the server once *count* decisions are acknowledged; return those."""
    acknowledged: list = []
    stop = threading.Event()
    threads = [threading.Thread(target=hammer, args=(running, root, acknowledged, stop)) for _ in range(8)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while len(acknowledged) < count and time.monotonic() < deadline:
        time.sleep(0.001)
    end()
    stop.set()
    for thread in threads:
        thread.join()
    return acknowledged


def check_log(root, data, acknowledged: list) -> None:
    """Every acknowledged record is there, in an unbroken chain."""
    with servers.service([root], data) as running, running.client() as client:
        report = client.get("/v1/decisions/verify").json()
        assert report["ok"], report
        assert (report["first_seq"], report["last_seq"]) == (1, report["checked"])
        known = {}
        cursor = {}
        while True:
            page = client.get("/v1/decisions", params={"limit": 500, **cursor}).json()
            known.update((item["seq"], item["hash"]) for item in page["items"])
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
    assert acknowledged
    assert all(known.get(place["seq"]) == place["hash"] for place in acknowledged)


@pytest.mark.parametrize("count", [1, 10, 50, 150, 400])
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(root, tmp_path, count):
    data = tmp_path / "d" / "data"
    with servers.service([root], data) as running:
        acknowledged = under_load(running, root, count, running.kill)

    check_log(root, data, acknowledged)


def test_nothing_is_lost_when_the_server_is_asked_to_stop(root, tmp_path):
    data = tmp_path / "d" / "data"
    with servers.service([root], data) as running:
        codes = []
        acknowledged = under_load(running, root, 100, lambda: codes.append(running.stop()))

    assert codes == [0]
    check_log(root, data, acknowledged)


class TestManyCallersOverAChangingDisk:
    CALLERS = 64
    SECONDS = 4.0

    @pytest.fixture
    def roots(self, tmp_path):
        made = [tmp_path / name for name in ("a", "b", "c")]
        for root in made:
            inprocess.make_run(root)
        return made

    def test_no_exception_and_no_torn_answer(self, roots, tmp_path):
        """Artifacts are rewritten, swapped and deleted, policies come, break and go, all under load."""
        with servers.service(roots, tmp_path / "d" / "data") as running:
            stop = threading.Event()
            changers = [threading.Thread(target=self.change, args=(root, stop)) for root in roots]
            for changer in changers:
                changer.start()
            try:
                statuses, kinds = asyncio.run(self.call(running, roots))
            finally:
                stop.set()
                for changer in changers:
                    changer.join()
            with running.client() as client:
                assert client.get("/v1/decisions/verify").json()["ok"]
                metrics = client.get("/metrics").text
            output = running.output.read_text()

        assert statuses == {200}
        assert kinds == {"allow", "deny"}
        assert "phasegate_judgement_failures_total 0.0" in metrics
        assert "phasegate_decisions_unrecorded_total 0.0" in metrics
        assert "Traceback" not in output

    def change(self, root, stop: threading.Event) -> None:
        active, aside = root / ACTIVE, root / "aside.md"
        policy = root / ".recursive/config/recursive-permissions.json"
        policy.parent.mkdir(exist_ok=True)
        draft = active.read_text()
        turn = 0
        while not stop.is_set():
            turn += 1
            active.write_text(draft + "x" * (turn % 50))
            aside.write_text(draft)
            aside.replace(active)
            if turn % 3 == 0:
                policy.write_text('{"rules": [{"pattern": "*", "verdict": "allow", "reason": "ok"}]}')
            elif turn % 3 == 1:
                policy.write_text("{")
            else:
                policy.unlink()
            if turn % 7 == 0:
                active.unlink()
                active.symlink_to("nowhere")
                active.unlink()
                active.write_text(draft)

    async def call(self, running, roots):
        statuses, kinds = set(), set()
        end = time.monotonic() + self.SECONDS
        limits = httpx.Limits(max_connections=self.CALLERS, max_keepalive_connections=self.CALLERS)
        async with httpx.AsyncClient(base_url=running.url, limits=limits, timeout=30) as client:

            async def caller(number: int) -> None:
                root = roots[number % len(roots)]
                targets = (LOCKED, ACTIVE, "src/a.py")
                turn = number
                while time.monotonic() < end:
                    body = {"tool": "write", "args": {"file_path": targets[turn % 3], "content": "x"}}
                    reply = await client.post("/v1/decisions", json={**body, "workspace": str(root)})
                    statuses.add(reply.status_code)
                    kinds.add(reply.json()["kind"])
                    turn += 1

            await asyncio.gather(*(caller(number) for number in range(self.CALLERS)))
        return statuses, kinds

    def test_no_stale_answer_after_a_change_that_is_done(self, roots, tmp_path):
        """An edit that has returned is seen by the next call, at any speed and with any trick on the times."""
        root = roots[0]
        body = {"tool": "write", "args": {"file_path": ACTIVE, "content": "x"}, "workspace": str(root)}
        path = root / ACTIVE
        draft, locked = (peer.artifact_text("r1", path.name, state) for state in ("draft", "locked"))
        pad = len(locked.encode()) - len(draft.encode())
        texts = {"allow": draft + " " * pad, "deny": locked}
        receipt = root / ".recursive/run/r1/locks/01-as-is.receipt.json"
        path.write_text(locked)
        receipt.write_text(peer.lock_receipt(path.parent, path.name))
        times = path.stat()
        with servers.service(roots, tmp_path / "d" / "data") as running, running.client() as client:
            for turn in range(60):
                for kind, text in texts.items():
                    if turn % 2:
                        other = path.with_name("aside")
                        other.write_text(text)
                        other.replace(path)
                    else:
                        path.write_text(text)
                        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
                    reply = client.post("/v1/decisions", json=body).json()
                    assert reply["kind"] == kind, (turn, kind, json.dumps(reply))
