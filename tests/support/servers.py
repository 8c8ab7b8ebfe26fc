"""Real service processes for tests and benches."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

START_SECONDS = 30


@dataclass
class Running:
    """A service that answers. `url` is None when it listens on `uds` alone."""

    process: subprocess.Popen[bytes]
    url: str | None
    uds: Path | None
    data: Path
    output: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def address(self) -> tuple[str, int]:
        assert self.url is not None
        host, _, port = self.url.removeprefix("http://").partition(":")
        return host, int(port)

    def client(self, **kwargs) -> httpx.Client:
        if self.url is None:
            transport = httpx.HTTPTransport(uds=str(self.uds))
            return httpx.Client(transport=transport, base_url="http://phasegate", timeout=30, **kwargs)
        return httpx.Client(base_url=self.url, timeout=30, **kwargs)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ask it to end and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """This process's environment without its phasegate settings, and another home."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PHASEGATE_", "XDG_"))}
    return kept | {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")} | more


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_answers(url: str, process: subprocess.Popen[bytes], path: str = "/healthz") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"the server ended with code {process.returncode}")
        with suppress(httpx.TransportError):
            if httpx.get(url + path).status_code < 500:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not answer in time")


@contextmanager
def service(
    workspaces: Sequence[Path | str],
    data: Path,
    *options: str,
    tcp: bool = True,
    uds: Path | None = None,
    env: dict[str, str] | None = None,
) -> Iterator[Running]:
    """`phasegate serve` on a free port, ended when the block ends."""
    data.parent.mkdir(parents=True, exist_ok=True)
    port = free_port()
    argv = [sys.executable, "-m", "phasegate", "serve", "--data", str(data), *options]
    argv += [item for space in workspaces for item in ("--workspace", str(space))]
    argv += ["--port", str(port)] if tcp else []
    argv += ["--uds", str(uds)] if uds is not None else []
    output = data.parent / f"server-{port}.log"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            argv, stdout=stream, stderr=subprocess.STDOUT, env=env or clean_environment(data.parent)
        )
    running = Running(process, f"http://127.0.0.1:{port}" if tcp else None, uds, data, output)
    try:
        _wait(running)
        yield running
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def _wait(running: Running) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if running.process.poll() is not None:
            raise AssertionError(f"the service ended at once: {running.output.read_text()}")
        if _accepts(running):
            with running.client() as client:
                assert client.get("/healthz").status_code == 200
            return
        time.sleep(0.05)
    raise AssertionError(f"the service did not answer in time: {running.output.read_text()}")


def _accepts(running: Running) -> bool:
    family, address = (socket.AF_INET, running.address) if running.url else (socket.AF_UNIX, str(running.uds))
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(address) == 0
