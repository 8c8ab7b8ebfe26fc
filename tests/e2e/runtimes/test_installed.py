"""Every runtime's installed hook against the real service, without the runtime itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from phasegate.cli import cli
from phasegate.cli.install.plan import supported
from support import cases, servers
from support.peer import SEQUENCE

pytestmark = pytest.mark.slow

TRUSTED_BY_A_PERSON = {"codex", "gemini-cli"}


def build(root: Path) -> None:
    files = {SEQUENCE[0]: {"kind": "locked"}, SEQUENCE[1]: {"kind": "locked"}, SEQUENCE[2]: {"kind": "draft"}}
    cases.build({"setup": {"runs": {"r1": {"files": files}}}}, root)


@pytest.fixture
def clean_home(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("PHASEGATE_", "XDG_", "CODEX_", "COPILOT_")):
            monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("transport", ["command", "sh"])
@pytest.mark.usefixtures("clean_home")
def test_doctor_proves_every_installation(tmp_path, transport):
    """The canary of each runtime, on each of its events, through the installed hook."""
    root = tmp_path / "repo"
    build(root)
    with servers.service([root], tmp_path / "data", uds=tmp_path / "s") as service:
        for name in supported():
            argv = ["--dir", str(root), "--transport", transport]
            # The JavaScript engine of the tests speaks no Unix sockets, the runtime's own does.
            argv += ["--url", str(service.url)] if name == "opencode" else ["--uds", str(service.uds)]
            installed = CliRunner().invoke(cli, ["install", name, *argv])
            assert installed.exit_code == 0, installed.output
            report = CliRunner().invoke(cli, ["doctor", name, "--dir", str(root)]).output
            failed = [line for line in report.splitlines() if line.startswith("FAIL")]
            assert len(failed) == (name in TRUSTED_BY_A_PERSON), report
            denied = [line for line in report.splitlines() if line.startswith("ok   a forbidden write on")]
            no_engine = name == "amp" or (name == "opencode" and shutil.which("node") is None)
            assert denied or no_engine, report
        with service.client() as client:
            rules = {item["rule"] for item in client.get("/v1/decisions?limit=200").json()["items"]}

    assert rules == {"control-plane"}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the service process is counted in /proc")
def test_200_hooks_start_one_real_service_and_every_call_is_recorded(tmp_path):
    """Every agent of a fleet makes its first call at once after a reboot."""
    root, uds, data = tmp_path / "repo", tmp_path / "s", tmp_path / "data"
    build(root)
    hook = Path(sys.modules["phasegate"].__file__).parent / "hook.py"
    serve = [sys.executable, "-m", "phasegate", "serve", "--uds", str(uds), "--data", str(data)]
    argv = [
        sys.executable, "-I", "-S", "-B", str(hook), "claude-code", "--uds", str(uds), "--timeout", "90",
        "--autostart", *serve, "--workspace", str(root),
    ]  # fmt: skip
    environment = servers.clean_environment(tmp_path)

    def fire(number: int) -> subprocess.CompletedProcess[bytes]:
        target = root / (f"free-{number}.py" if number % 2 else f".recursive/run/r1/{SEQUENCE[4]}")
        payload = {
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(root), "tool_name": "Write",
            "tool_input": {"file_path": str(target), "content": "x"}, "tool_use_id": f"call-{number}",
        }  # fmt: skip
        body = json.dumps(payload).encode()
        return subprocess.run(
            argv, input=body, capture_output=True, env=environment, timeout=120, check=False
        )

    try:
        with ThreadPoolExecutor(200) as pool:
            done = list(pool.map(fire, range(200)))
        transport = httpx.HTTPTransport(uds=str(uds))
        with httpx.Client(transport=transport, base_url="http://phasegate") as client:
            items = client.get("/v1/decisions?limit=500").json()["items"]

        assert {one.returncode for one in done} == {0}, {one.stderr for one in done}
        assert [b'"deny"' in one.stdout for one in done] == [number % 2 == 0 for number in range(200)]
        assert sorted(item["call_id"] for item in items) == sorted(f"call-{number}" for number in range(200))
        assert len(processes_with(str(uds))) == 1
    finally:
        for pid in processes_with(str(uds)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        wait_until_gone(str(uds))


def processes_with(argument: str) -> list[int]:
    """Processes whose command line has *argument* and `serve`: ours, by their unique socket."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_bytes().split(b"\0")
            if argument.encode() in words and b"serve" in words and b"-I" not in words:
                found.append(int(place.name))
    return found


def wait_until_gone(argument: str) -> None:
    deadline = time.monotonic() + 30
    while processes_with(argument) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in processes_with(argument):
        os.kill(pid, signal.SIGKILL)
