"""The spawned hook, whole process, beside a bare interpreter start and curl: one run, interleaved.

    python tests/bench/hook.py [--rounds 100] [--python PATH] [--bare]

The service is a real one on a Unix socket, which makes a durable record of each call; with
`--bare` a listener that only answers, so that the client's own cost stands alone. The call
is a small allowed write. Prints medians and their ratios to `python3 -I -S -c pass`.
"""

from __future__ import annotations

import argparse
import json
import py_compile
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import phasegate.hook
import phasegate.hook_client
from phasegate.cli.install.shell_hook import ShellHook, script
from support import servers, stub_service


def commands(python: str, uds: str, directory: Path) -> dict[str, list[str]]:
    shell = directory / "hook.sh"
    shell.write_text(script(ShellHook("claude-code", uds=uds)), encoding="utf-8")
    url = "http://localhost/v1/hooks/claude-code"
    return {
        "python -I -S -c pass": [python, "-I", "-S", "-c", "pass"],
        "hook (python)": [python, "-I", "-S", "-B", phasegate.hook.__file__, "claude-code", "--uds", uds],
        "hook (sh + curl)": ["sh", str(shell)],
        "curl alone": ["curl", "-s", "--unix-socket", uds, "--data-binary", "@-", url],
    }


def timed(argv: list[str], payload: bytes) -> float:
    started = time.perf_counter()
    done = subprocess.run(argv, input=payload, capture_output=True, check=False)
    elapsed = time.perf_counter() - started
    assert done.returncode == 0, (argv, done)
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--python", default=str(Path(sys.executable).resolve()))
    options = parser.parse_args()
    # What `phasegate install` does: the hook is only loaded, never compiled.
    py_compile.compile(phasegate.hook_client.__file__)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        workspace = directory / "repo"
        workspace.mkdir()
        tool_input = {"file_path": str(workspace / "a.py"), "content": "x" * 200}
        call = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": tool_input}
        payload = json.dumps({**call, "session_id": "s", "cwd": str(workspace)}).encode()
        uds = directory / "s"
        answering = (
            bare(directory)
            if options.bare
            else servers.service([workspace], directory / "data", tcp=False, uds=uds)
        )
        with answering:
            found = measure(commands(options.python, str(uds), directory), payload, options.rounds)
    report(found)


@contextmanager
def bare(directory: Path) -> Iterator[None]:
    """A listener on the socket that answers every hook with a pass."""
    argv = [sys.executable, stub_service.__file__, str(directory / "s"), str(directory / "starts"), "0"]
    process = subprocess.Popen(argv)
    try:
        while not (directory / "s").exists():
            time.sleep(0.01)
        yield
    finally:
        process.kill()
        process.wait()


def measure(argvs: dict[str, list[str]], payload: bytes, rounds: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in argvs}
    for number in range(rounds + 5):
        for name, argv in argvs.items():
            seconds = timed(argv, payload)
            if number >= 5:  # the first rounds warm up
                found[name].append(seconds)
    return found


def report(found: dict[str, list[float]]) -> None:
    base = statistics.median(next(iter(found.values())))
    for name, seconds in found.items():
        middle = statistics.median(seconds)
        worst = sorted(seconds)[int(len(seconds) * 0.99)]
        print(f"{name:<22}{middle * 1e3:8.2f} ms  p99 {worst * 1e3:8.2f} ms  {middle / base:6.2f} x")


if __name__ == "__main__":
    main()
