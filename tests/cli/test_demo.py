"""`phasegate demo`: the session is real, readable, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from phasegate.cli.demo_story import make_workspace, run_directory, story
from phasegate.core.header import read_seal
from phasegate.workspace.workflow_file import load_workflow

DEMO = [sys.executable, "-m", "phasegate", "demo"]
RULES = ("memory-read", "phase-order", "lock-order", "locked-write", "opaque-write", "control-plane")


def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}


def run_once(tmp_path: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DEMO, "--once", *options],
        env=environment(tmp_path) | more,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_sample_workspace_is_a_run_that_has_just_begun(tmp_path):
    workflow = load_workflow()

    make_workspace(tmp_path, workflow)

    run = run_directory(tmp_path, workflow)
    assert sorted(path.name for path in run.iterdir()) == sorted(p.artifact for p in workflow.first_phase)
    assert {read_seal(path.read_text("utf-8")).status for path in run.iterdir()} == {"DRAFT"}


def test_the_story_is_told_in_denials_and_in_allowed_work():
    steps = list(story(load_workflow()))

    assert {step.expect for step in steps} == {"allow", "deny"}
    assert steps[-1].args == {"command": "pytest -q"}


@pytest.mark.slow
def test_a_session_shows_each_rule_and_leaves_nothing_behind(tmp_path):
    run = run_once(tmp_path, "--port", "0")

    assert run.returncode == 0, run.stdout + run.stderr
    assert [rule for rule in RULES if rule not in run.stdout] == []
    assert "its hash chain verifies" in run.stdout
    assert "phasegate run enter" in run.stdout
    assert list(tmp_path.glob("phasegate-demo-*")) == []


@pytest.mark.slow
def test_takes_another_port_when_the_usual_one_is_taken_and_no_settings_from_outside(tmp_path):
    """A variable about another service must not turn the demo advisory or point it elsewhere."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind(("127.0.0.1", 8787))
            other.listen()
        except OSError:
            pass  # taken already by somebody else: just as good
        run = run_once(tmp_path, PHASEGATE_MODE="advisory", PHASEGATE_URL="http://127.0.0.1:9")

    assert run.returncode == 0, run.stdout + run.stderr
    assert "http://127.0.0.1:8787" not in run.stdout


def test_says_so_when_the_wanted_port_is_taken(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        run = run_once(tmp_path, "--port", port)

    assert run.returncode == 1
    assert f"port {port} is taken" in run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_leaves_the_service_up_until_it_is_stopped(tmp_path, number):
    output = tmp_path / "output"
    with output.open("w") as stream:
        process = subprocess.Popen(
            [*DEMO, "--port", "0"], env=environment(tmp_path), stdout=stream, stderr=stream, text=True
        )
    try:
        base = _wait_for_the_end_of_the_session(process, output)
        denials = httpx.get(f"{base}/v1/decisions", params={"kind": "deny"}).json()["items"]

        process.send_signal(number)
        code = process.wait(timeout=60)
    finally:
        process.kill()

    assert len(denials) >= len(RULES)
    assert code == 0
    assert "Traceback" not in output.read_text()
    assert list(tmp_path.glob("phasegate-demo-*")) == []
    with pytest.raises(httpx.ConnectError):
        httpx.get(base)


def _wait_for_the_end_of_the_session(process: subprocess.Popen[str], output: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        text = output.read_text()
        if "Ctrl-C" in text:
            found = re.search(r"http://127\.0\.0\.1:\d+", text)
            assert found
            return found[0]
        time.sleep(0.1)
    raise AssertionError(output.read_text())
