"""Lock and phase tools of the host."""

from __future__ import annotations

import pytest

from phasegate.core.call import Effect, EnterRequest, LockRequest
from phasegate.targets.own_calls import own_name
from support.target_calls import extraction, workflow


@pytest.mark.parametrize(
    "tool",
    [
        "recursive_lock",
        "Recursive-Lock",
        "mcp__peer__recursive_lock",
        "mcp_peer_recursive_lock",
        "peer/recursive_lock",
    ],
)
def test_a_lock_tool_is_known_under_every_prefix(tool):
    found = extraction(tool, {"artifact": "01-as-is.md", "runId": "r1"})

    assert found.effect is Effect.LOCK
    assert found.canonical == "recursive_lock"
    assert found.locks == (LockRequest("01-as-is.md", "r1"),)


@pytest.mark.parametrize("tool", ["recursive_lock_everything", "not_recursive_lock", "recursive_lockX", ""])
def test_other_names_do_not_lock(tool):
    assert own_name(tool, workflow().lock_tools) is None


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, [LockRequest(None)]),
        ({"artifact": None}, [LockRequest(None)]),
        ({"artifact": "  "}, [LockRequest(None)]),
        ({"artifact": ["x"]}, [LockRequest(None)]),
        ({"artifact": 5}, [LockRequest("5")]),
        ({"artifact": " a "}, [LockRequest(" a ")]),
        ({"artifact": "a", "run_id": "r2"}, [LockRequest("a", "r2")]),
        ({"artifact": "a", "runId": None}, [LockRequest("a")]),
        ({"artifact": "a", "runId": ""}, [LockRequest("a", "")]),
        ({"artifact": "a", "runId": 7}, [LockRequest("a", run_id_malformed=True)]),
        ({"artifact": "a", "runId": "r1", "run_id": "r1"}, [LockRequest("a", "r1")]),
        ({"artifact": "a", "runId": "r1", "run_id": "r2"}, [LockRequest("a", "r1"), LockRequest("a", "r2")]),
        ({"artifact": "a", "reopen": True}, [LockRequest("a", reopen=True)]),
    ],
)
def test_reads_the_request(args, expected):
    assert list(extraction("recursive_lock", args).locks) == expected


@pytest.mark.parametrize("value", ["true", 1, "yes", [True]])
def test_only_a_plain_true_reopens(value):
    """A tool that takes no such value locks, and the order of locks must then be judged."""
    assert extraction("recursive_lock", {"artifact": "a", "reopen": value}).locks == (LockRequest("a"),)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, EnterRequest()),
        ({"phase": 2}, EnterRequest("2")),
        ({"phase": "02-to-be-plan.md", "runId": "r1"}, EnterRequest("02-to-be-plan.md", "r1")),
        ({"runId": {}}, EnterRequest(run_id_malformed=True)),
    ],
)
def test_reads_a_phase_entry(args, expected):
    found = extraction("recursive_phase", args)

    assert found.effect is Effect.ENTER
    assert found.enters == (expected,)
