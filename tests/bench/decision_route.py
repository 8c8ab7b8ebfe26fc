"""The decision route against a bare FastAPI echo, in one run on one machine, interleaved.

    python tests/bench/decision_route.py [--rounds 5] [--seconds 3] [--dir DIR]

`decisions` is one write in many versions; of `new each time` no two calls are about the same file.
Prints medians and their ratios. DIR (default: a temporary directory) holds the workspace
and the decision log; put it on the disk that counts.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import uvloop

from support import servers, workload
from support.load import Load, request_bytes, run_load

WIDE = 64


@dataclass
class Subject:
    """One route under load."""

    name: str
    address: tuple[str, int]
    pid: int
    requests: list[bytes]


@contextmanager
def echo_server(directory: Path) -> Iterator[tuple[str, int, int]]:
    port = servers.free_port()
    script = Path(__file__).with_name("echo_app.py")
    process = subprocess.Popen([sys.executable, str(script), str(port), str(directory / "echo.jsonl")])
    try:
        servers.wait_until_answers(f"http://127.0.0.1:{port}", process, "/openapi.json")
        yield "127.0.0.1", port, process.pid
    finally:
        process.kill()
        process.wait()


def requests_of(bodies: list[bytes]) -> list[bytes]:
    return [request_bytes("/v1/decisions", body) for body in bodies]


def measure(subjects: list[Subject], connections: int, seconds: float, rounds: int) -> dict[str, list[Load]]:
    found: dict[str, list[Load]] = {subject.name: [] for subject in subjects}
    for number in range(rounds + 1):
        for subject in subjects:
            load = uvloop.run(
                run_load(
                    subject.address, subject.pid, subject.requests, connections, seconds if number else 1.0
                )
            )
            assert set(load.statuses) == {b"200"}, load.statuses
            if number:  # the first round warms up
                found[subject.name].append(load)
    return found


def median(loads: list[Load], figure) -> float:
    return statistics.median(figure(load) for load in loads)


def report(title: str, found: dict[str, list[Load]], reference: str) -> None:
    print(f"\n{title}")
    print(f"{'route':<16}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'CPU us':>9}   ratios to {reference}")
    figures = (
        lambda load: load.rate,
        lambda load: load.percentile(50) * 1e3,
        lambda load: load.percentile(99) * 1e3,
        lambda load: load.cpu_per_request * 1e6,
    )
    base = [median(found[reference], figure) for figure in figures]
    for name, loads in found.items():
        row = [median(loads, figure) for figure in figures]
        ratios = "  ".join(
            f"{label} {value / one:.2f}x"
            for label, value, one in zip(("rate", "p50", "p99", "cpu"), row, base, strict=True)
        )
        print(f"{name:<16}{row[0]:>9.0f}{row[1]:>9.2f}{row[2]:>9.2f}{row[3]:>9.1f}   {ratios}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--dir", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as scratch:
        base = Path(scratch)
        root = base / "repo"
        workload.build_workspace(root)
        body = workload.body(root)
        with servers.service([root], base / "data" / "d") as guard, echo_server(base) as (host, port, pid):
            bodies = workload.versions(root, 512)
            ours = Subject("decisions", guard.address, guard.pid, requests_of(bodies))
            bodies = workload.strangers(root, 8192)
            news = Subject("new each time", guard.address, guard.pid, requests_of(bodies))
            echo = Subject("echo", (host, port), pid, [request_bytes("/echo", body)])
            durable = Subject("durable echo", (host, port), pid, [request_bytes("/durable", body)])
            wide = measure([echo, ours, news], WIDE, options.seconds, options.rounds)
            report(f"{WIDE} connections", wide, "echo")
            one = measure([durable, ours, news], 1, options.seconds, options.rounds)
            report("1 connection", one, "durable echo")


if __name__ == "__main__":
    main()
