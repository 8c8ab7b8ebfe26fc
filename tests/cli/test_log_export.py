"""`log export`: the whole log, checkable by anybody."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from phasegate.decision_log.chain import Head, verify
from support import inprocess, servers


@pytest.fixture(params=["service", "in process"])
def phasegate(request, tmp_path):
    root = tmp_path / "repo"
    inprocess.make_run(root)
    env = servers.clean_environment(tmp_path)

    def run(*argv):
        return subprocess.run(
            [sys.executable, "-m", "phasegate", *argv],
            capture_output=True,
            text=True,
            cwd=root,
            env=env,
            timeout=60,
            check=False,
        )

    if request.param == "in process":
        yield run
        return
    uds = tmp_path / "p.sock"
    with servers.service([root], tmp_path / "d" / "data", tcp=False, uds=uds):
        env["PHASEGATE_UDS"] = str(uds)
        yield run


@pytest.mark.slow
def test_the_whole_log_with_its_head_can_be_checked_without_the_service(phasegate):
    """Lifecycle records are part of the chain; an export without them would look tampered with."""
    assert phasegate("run", "enter", "r1").returncode == 0
    assert phasegate("decide", "bash", "command=ls ü").returncode == 0

    *lines, last = phasegate("log", "export").stdout.splitlines()
    head = Head(**json.loads(last)["head"])
    found = verify([json.loads(line) for line in lines], head)

    assert found.ok
    assert found.checked == head.seq == 3


def test_an_address_where_nothing_answers_is_an_error_and_no_empty_export(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "phasegate", "log", "export"],
        capture_output=True,
        text=True,
        env=servers.clean_environment(tmp_path, PHASEGATE_UDS=str(tmp_path / "none")),
        check=False,
    )

    assert (done.returncode, done.stdout) == (4, "")
