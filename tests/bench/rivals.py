"""The decision route beside two rival policy services, in one run: p50 on one connection.

    .venv/bin/python tests/bench/rivals.py [--rounds 5] [--seconds 2] [--env DIR]

Sets up an environment of its own (DIR, kept between runs) with the rivals from PyPI.
The rivals only evaluate rules; ours reads the run directory and makes the record durable.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import uvloop

from support import servers, workload
from support.load import request_bytes, run_load

# The toolkit imports PyYAML without asking for it.
PACKAGES = ("agent-os-kernel", "pyyaml", "cedarpy", "fastapi", "uvicorn", "uvloop", "httptools")
RULES = (20, 100)


def prepared(directory: Path) -> Path:
    """The interpreter of an environment that holds the rivals."""
    python = directory / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return python


@contextmanager
def rival(python: Path, name: str, rules: int) -> Iterator[tuple[tuple[str, int], int]]:
    port = servers.free_port()
    script = Path(__file__).with_name("rival_server.py")
    process = subprocess.Popen(
        [str(python), str(script), name, str(rules), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        servers.wait_until_answers(f"http://127.0.0.1:{port}", process, "/openapi.json")
        yield ("127.0.0.1", port), process.pid
    finally:
        process.kill()
        process.wait()


def policy_of(rules: int) -> str:
    entries = [
        {"pattern": f"blocked_tool_{number}", "verdict": "deny", "reason": "not for agents"}
        for number in range(rules)
    ]
    return json.dumps(
        {"version": 1, "rules": [*entries, {"pattern": "*", "verdict": "allow", "reason": "ok"}]}
    )


def compare(python: Path, base: Path, rules: int, rounds: int, seconds: float) -> None:
    root = base / f"repo-{rules}"
    workload.build_workspace(root)
    (root / ".recursive/config/recursive-permissions.json").write_text(policy_of(rules))
    body = workload.body(root)
    with (
        servers.service([root], base / f"data-{rules}" / "d") as guard,
        rival(python, "toolkit", rules) as toolkit,
        rival(python, "cedar", rules) as cedar,
    ):
        subjects = {
            "phasegate": (guard.address, guard.pid, request_bytes("/v1/decisions", body)),
            "toolkit": (*toolkit, request_bytes("/decide", body)),
            "fastapi+cedarpy": (*cedar, request_bytes("/decide", body)),
        }
        found: dict[str, list[float]] = {name: [] for name in subjects}
        for number in range(rounds + 1):
            for name, (address, pid, request) in subjects.items():
                load = uvloop.run(run_load(address, pid, [request], 1, seconds if number else 0.5))
                assert set(load.statuses) == {b"200"}, (name, load.statuses)
                if number:
                    found[name].append(load.percentile(50) * 1e3)
    ours = statistics.median(found["phasegate"])
    for name, values in found.items():
        p50 = statistics.median(values)
        print(f"{rules:>5} rules  {name:<18}{p50:>8.3f} ms p50   {p50 / ours:>5.2f} x ours")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--env", type=Path, default=Path(tempfile.gettempdir()) / "phasegate-rivals")
    options = parser.parse_args()
    python = prepared(options.env)
    with tempfile.TemporaryDirectory() as scratch:
        for rules in RULES:
            compare(python, Path(scratch), rules, options.rounds, options.seconds)


if __name__ == "__main__":
    main()
