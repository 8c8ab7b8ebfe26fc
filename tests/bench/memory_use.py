"""The resident set of the service: many decisions on many runs, sampled on the way.

    python tests/bench/memory_use.py [--decisions 200000] [--runs 1000]

Prints the resident set after each tenth; the goal is under 120 MB, flat after warm-up.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import uvloop

from support import servers, workload
from support.load import Load, request_bytes, resident_bytes, run_load

CONNECTIONS = 64
GOAL_MB = 120
_STRETCH_SECONDS = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        root = base / "repo"
        workload.build_workspace(root, options.runs)
        names = [workload.RUN, *(f"run-{number}" for number in range(1, options.runs))]
        # A session stays on its run for a while, and then another one begins.
        stay = max(1, options.decisions // options.runs)
        requests = [
            message
            for name in names
            for message in [request_bytes("/v1/decisions", workload.body(root, name))] * stay
        ]
        with servers.service([root], base / "data" / "d") as guard:
            print(f"at start: {megabytes(guard.pid):.0f} MB")
            started, done, step = time.monotonic(), 0, options.decisions // 10
            for tenth in range(1, 11):
                while done < step * tenth:
                    done += len(stretch(guard, requests, done // CONNECTIONS).latencies)
                print(
                    f"{done:>8} decisions, {time.monotonic() - started:>5.0f} s: {megabytes(guard.pid):.0f} MB",
                    flush=True,
                )
            final = megabytes(guard.pid)
            print(f"goal < {GOAL_MB} MB: {'met' if final < GOAL_MB else 'MISSED'}")


def stretch(guard: servers.Running, requests: list[bytes], first: int) -> Load:
    """Some seconds of load, each connection on another run."""
    load = uvloop.run(run_load(guard.address, guard.pid, requests, CONNECTIONS, _STRETCH_SECONDS, first))
    assert set(load.statuses) == {b"200"}, load.statuses
    return load


def megabytes(pid: int) -> float:
    return resident_bytes(pid) / 1e6


if __name__ == "__main__":
    main()
