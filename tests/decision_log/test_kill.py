"""SIGKILL under load: every record that was acknowledged is there, and the chain is whole."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import verify_store
from support import log_child
from support.records import identifier

KILLS = 32
ROOT = Path(__file__).resolve().parents[2]
SEARCHED = (str(ROOT / "tests"), str(ROOT / "app"), *filter(None, [os.environ.get("PYTHONPATH")]))
_PIPE_BYTES = 1024 * 1024


def run_and_kill(path: Path, first: int, seconds: float) -> dict[int, int]:
    """Start the child, kill it *seconds* after its first record; what it was promised, by number."""
    child = subprocess.Popen(
        [sys.executable, "-B", log_child.__file__, str(path), str(first)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(SEARCHED)},
    )
    assert child.stdout is not None
    with child.stdout as pipe:
        said = os.read(pipe.fileno(), _PIPE_BYTES)
        deadline = time.monotonic() + seconds
        os.set_blocking(pipe.fileno(), False)
        while time.monotonic() < deadline:
            said += pipe.read() or b""
            time.sleep(0.002)
        child.kill()
        child.wait(20)
        os.set_blocking(pipe.fileno(), True)
        said += pipe.read()
    whole = said[: said.rfind(b"\n") + 1].decode().splitlines()
    return {int(number): int(seq) for number, seq in (line.split() for line in whole)}


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_every_acknowledged_record_survives_a_kill(path):
    chance = random.Random(3)  # noqa: S311 (test data)
    promised: dict[int, int] = {}
    for round_ in range(KILLS):
        got = run_and_kill(path, round_ * 1_000_000, chance.uniform(0.0, 0.12))
        assert got, "the child wrote nothing"
        promised |= got

    with closing(SqliteStore(path)) as store:
        report = verify_store(store)
        stored = {record["decision_id"]: record["seq"] for record in store.scan()}

    assert report.ok, report.problems[:3]
    assert report.checked == report.last_seq, "the sequence has no gaps"
    assert len(promised) > KILLS * 10
    lost = [number for number, seq in promised.items() if stored.get(identifier(number)) != seq]
    assert lost == []
