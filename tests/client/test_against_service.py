"""The client against the real service: the shapes it expects are the shapes it gets."""

from __future__ import annotations

import pytest

from phasegate.client import Denied, PhasegateClient, ServiceError
from support import cases, servers
from support.peer import SEQUENCE

RUN = ".recursive/run/r1"
DONE = "\n## Coverage Gate\n\nCoverage: PASS\n\n## Approval Gate\n\nApproval: PASS\n"
TO_BE = next(name for name in SEQUENCE if name.startswith("02-to"))


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "repo"
    files = {name: {"kind": "locked", "body": DONE} for name in SEQUENCE[:2]}
    files[SEQUENCE[2]] = {"kind": "draft", "body": DONE}
    files["memory-injections.json"] = {"kind": "reads", "phases": list(SEQUENCE[:3])}
    cases.build({"setup": {"runs": {"r1": {"files": files}}}}, root)
    return root


@pytest.fixture
def guard(root, tmp_path):
    with (
        servers.service([root], tmp_path / "data", tcp=False, uds=tmp_path / "s"),
        PhasegateClient(uds=str(tmp_path / "s"), cwd=str(root), run_id="r1", session_id="s-1") as client,
    ):
        yield client


def test_a_run_is_worked_through_with_the_client(guard, root):
    ahead = {"file_path": f"{RUN}/{TO_BE}", "content": "x"}
    with pytest.raises(Denied) as refused:
        guard.guard("write", ahead)

    assert refused.value.decision.rule == "phase-order"
    assert refused.value.decision.remedy.action == "lock"
    assert refused.value.decision.decision_id

    assert guard.lock(SEQUENCE[2]).document
    assert guard.guard("write", ahead).allowed
    assert guard.enter_phase().document


def test_a_lock_that_is_refused_says_why(guard):
    with pytest.raises(ServiceError) as refused:
        guard.lock(TO_BE)

    assert refused.value.problem == "lock_refused"
    assert refused.value.status == 409


def test_damage_behind_the_guard_is_observed(guard, root):
    assert guard.observe().tampered == ()
    locked = root / RUN / SEQUENCE[0]
    locked.write_text(locked.read_text(encoding="utf-8") + "changed", encoding="utf-8")

    assert guard.observe(paths=[str(locked)]).tampered
