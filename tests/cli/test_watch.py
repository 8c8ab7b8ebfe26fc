"""`phasegate watch` as a real process, with a service and without one."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from support import inprocess, servers

FIRST = ".recursive/run/r1/00-requirements.md"
PATIENCE = 60.0


@pytest.fixture(params=["service", "in process"])
def place(request, tmp_path):
    """A workspace with two locked artifacts, and the environment to ask about it."""
    root = tmp_path / "repo"
    inprocess.make_run(root)
    env = servers.clean_environment(tmp_path)
    if request.param == "in process":
        yield root, env
        return
    uds = tmp_path / "p.sock"
    with servers.service([root], tmp_path / "d" / "data", tcp=False, uds=uds):
        yield root, env | {"PHASEGATE_UDS": str(uds)}


def phasegate(place, *argv):
    root, env = place
    return subprocess.run(
        [sys.executable, "-m", "phasegate", *argv],
        capture_output=True,
        text=True,
        cwd=root,
        env=env,
        timeout=PATIENCE,
        check=False,
    )


@contextmanager
def watching(place, *options):
    """A watcher whose lines can be waited for."""
    root, env = place
    process = subprocess.Popen(
        [sys.executable, "-m", "phasegate", "watch", "--json", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root,
        env=env,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def tamper_kinds(place):
    reply = phasegate(place, "log", "tail", "--type", "tamper", "--json")
    assert reply.returncode == 0, reply.stderr
    return [record["action"] for record in reversed(json.loads(reply.stdout))]


def next_finding(process):
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    assert ready, "nothing was reported in time"
    return json.loads(process.stdout.readline())


def test_what_is_done_to_a_lock_is_printed_and_recorded_as_it_happens(place):
    root, _ = place
    path = root / FIRST
    sound = path.read_text()
    path.write_text(sound + "before it watched\n")
    with watching(place) as process:
        assert next_finding(process)["kind"] == "edited"

        path.write_text(sound)
        path.unlink()
        found = next_finding(process)
        assert (found["kind"], found["path"], found["run_id"]) == ("deleted", FIRST, "r1")

        shutil.rmtree(path.parent)
        assert (next_finding(process)["path"]) == ".recursive/run/r1"

        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
    assert tamper_kinds(place)[:2] == ["edited", "deleted"]


def test_a_look_at_everything_ends_with_its_own_exit_code(place):
    root, _ = place
    sound = phasegate(place, "watch", "--once")
    assert (sound.returncode, sound.stdout) == (0, "everything that was locked stands\n"), sound.stderr

    path = root / FIRST
    path.write_text(path.read_text() + "x")
    for _ in range(2):
        broken = phasegate(place, "watch", "--once", str(root))
        assert (broken.returncode, broken.stdout.split("  ")[0]) == (5, "edited"), broken.stderr
    assert tamper_kinds(place) == ["edited"]


def test_a_directory_without_runs_is_refused_in_one_line(tmp_path):
    done = phasegate((tmp_path, servers.clean_environment(tmp_path)), "watch", str(tmp_path))

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "has no `.recursive` directory" in done.stderr


def test_a_service_that_is_away_is_told_of_and_asked_again(tmp_path):
    root = tmp_path / "repo"
    inprocess.make_run(root)
    uds = tmp_path / "p.sock"
    env = servers.clean_environment(tmp_path) | {"PHASEGATE_UDS": str(uds)}
    process = subprocess.Popen(
        [sys.executable, "-m", "phasegate", "watch", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root,
        env=env,
    )
    try:
        ready, _, _ = select.select([process.stderr], [], [], PATIENCE)
        assert ready
        assert b"not looked at" in os.read(process.stderr.fileno(), 4096)
        with servers.service([root], tmp_path / "d" / "data", tcp=False, uds=uds):
            path = root / FIRST
            path.write_text(path.read_text() + "x")
            assert next_finding(process)["kind"] == "edited"
    finally:
        process.kill()
        process.communicate()
