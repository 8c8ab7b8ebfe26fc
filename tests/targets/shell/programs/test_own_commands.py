"""Commands of the workflow are requests to it, however they are started."""

from __future__ import annotations

import pytest

from phasegate.core.call import EnterRequest, LockRequest
from support.shell_calls import extracted, extracted_argv, is_clean, is_opaque

PLAN = "02-to-be-plan.md"


@pytest.mark.parametrize(
    "text",
    [
        f"phasegate run lock r1 {PLAN}",
        f"/opt/venv/bin/phasegate run lock r1 {PLAN}",
        f".venv/bin/phasegate run lock r1 {PLAN}",
        f"python -m phasegate run lock r1 {PLAN}",
        f"uv run phasegate run lock r1 {PLAN}",
        f"cd /repo && phasegate run lock r1 '{PLAN}'",
        f"phasegate --url http://h run lock r1 {PLAN}",
        f"phasegate run lock --workspace w r1 {PLAN}",
        f"bash -c 'phasegate run lock r1 {PLAN}'",
        f"RUN=r1; phasegate run lock $RUN {PLAN}",
        f"sudo phasegate run lock r1 {PLAN}",
        f"python3 tools/recursive-lock.py --run-id r1 --artifact {PLAN}",
        f"tools/recursive-lock.py --artifact={PLAN} --run-id=r1",
        f"python3 /abs/recursive-lock.py --run-id r1 --artifact {PLAN}",
    ],
)
def test_locking(text):
    found = extracted(text)

    assert found.locks == (LockRequest(PLAN, "r1"),)
    assert not found.opaque
    assert not found.targets


def test_reopening():
    assert extracted(f"phasegate run reopen r1 {PLAN}").locks == (LockRequest(PLAN, "r1", reopen=True),)
    found = extracted(f"python3 recursive-lock.py --run-id r1 --artifact {PLAN} --reopen")
    assert found.locks == (LockRequest(PLAN, "r1", reopen=True),)


def test_entering_a_phase():
    assert extracted("phasegate run enter r1 2").enters == (EnterRequest("2", "r1"),)
    assert extracted("phasegate run enter r1").enters == (EnterRequest(None, "r1"),)
    assert extracted("phasegate run enter").enters == (EnterRequest(None, None),)


def test_without_a_shell():
    assert extracted_argv(["phasegate", "run", "lock", "r1", PLAN]).locks == (LockRequest(PLAN, "r1"),)


@pytest.mark.parametrize(
    "text",
    [
        "phasegate serve",
        "phasegate run list",
        "phasegate run lock --help",
        "python3 verify-locks.py",
        "phasegate doctor | head",
    ],
)
def test_other_verbs_change_nothing_that_is_judged(text):
    assert is_clean(text)


def test_an_argument_that_is_not_known_is_told():
    found = extracted("phasegate run lock r1 $ARTIFACT")

    assert found.locks == (LockRequest(None, "r1"),)
    assert found.opaque


def test_a_file_of_that_name_in_the_project_gets_no_trust():
    assert is_opaque(f"./phasegate run lock r1 {PLAN}")
