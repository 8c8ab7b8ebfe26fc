"""Operations on runs that must fail: with the right code, the reason, and nothing changed."""

import functools
from dataclasses import replace

import pytest

from phasegate.core.reading import PromotionReading
from phasegate.files.directory import Directory
from phasegate.files.runlock import locked
from phasegate.service import runs
from phasegate.workspace.closure import ClosureCheck
from phasegate.workspace.locks import lock_artifact
from support.disk import tree
from support.inprocess import guard
from support.lifecycle import all_locked, make_run, run_dir, write_receipt
from support.peer import artifact_text, read_rows

FIRST, SECOND, PLAN, LAST = (
    "00-requirements.md",
    "00-worktree.md",
    "02-to-be-plan.md",
    "08-memory-impact.md",
)


PROMOTED = PromotionReading()


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    return root


@pytest.fixture
def door(root, tmp_path):
    with guard({"repo": root}, tmp_path) as opened:
        yield opened


def refused(reply, status, code):
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    problem = reply.json()
    assert problem["code"] == code
    assert problem["detail"]
    return problem


def test_a_lock_that_the_rules_refuse_carries_the_decision(door, root):
    make_run(root, a00="draft", a00w="draft", a02="draft")

    problem = refused(door.post("/v1/runs/r1/locks", {"artifact": PLAN}), 409, "lock_refused")

    decision = problem["errors"][0]["decision"]
    assert (decision["kind"], decision["rule"]) == ("deny", "lock-order")
    assert [blocker["artifact"] for blocker in decision["blockers"]] == [FIRST, SECOND]
    assert door.get(f"/v1/decisions/{decision['decision_id']}").json()["rule"] == "lock-order"


def test_a_lock_that_a_gate_refuses_names_the_gate(door, root):
    directory = make_run(root, a00="draft")
    path = directory / FIRST
    path.write_text(path.read_text() + "\n- [ ] open\n")

    problem = refused(door.post("/v1/runs/r1/locks", {"artifact": FIRST}), 409, "lock_refused")

    assert problem["errors"] == [{"gate": "standard", "failure": "1 open TODO boxes"}]


def test_what_is_locked_or_absent_is_not_locked(door, root):
    make_run(root, a00="locked")

    assert (
        "already"
        in refused(door.post("/v1/runs/r1/locks", {"artifact": FIRST}), 409, "lock_refused")["detail"]
    )
    problem = refused(door.post("/v1/runs/r1/locks", {"artifact": SECOND}), 409, "lock_refused")
    assert "not found" in problem["detail"]


def test_a_run_that_somebody_is_changing_is_busy(door, root, monkeypatch):
    make_run(root, a00="draft")
    site = door.service.runs._site
    quick = lambda place: replace(site(place), timeout=0.05)  # noqa: E731 (one line says it)
    monkeypatch.setattr(door.service.runs, "_site", quick)
    monkeypatch.setattr(door.service.runs.observing, "_site", quick)

    with Directory.open_root(str(root.resolve())) as directory, locked(directory, ".recursive/run/r1"):
        for path, body in (("phase", {}), ("locks", {"artifact": FIRST})):
            problem = refused(door.post(f"/v1/runs/r1/{path}", body), 409, "run_busy")
            assert "try again" in problem["remedy"]
    assert door.post("/v1/runs/r1/locks", {"artifact": FIRST}).status_code == 201


def test_a_change_that_is_made_is_answered_though_the_look_after_it_is_busy(door, root, monkeypatch):
    """The lock stands: to answer `run_busy` then would be a lie."""
    make_run(root, a00="draft")
    observing = door.service.runs.observing
    refresh = observing.refresh

    async def busy(place, run_id):
        site = observing._site
        monkeypatch.setattr(observing, "_site", lambda place: replace(site(place), timeout=0.05))
        with Directory.open_root(str(root.resolve())) as directory, locked(directory, ".recursive/run/r1"):
            await refresh(place, run_id)

    monkeypatch.setattr(observing, "refresh", busy)

    assert door.post("/v1/runs/r1/locks", {"artifact": FIRST}).status_code == 201


def test_a_closure_check_that_objects_keeps_the_run_open(door, root, monkeypatch):
    all_locked(root, but=lambda name: "draft" if name == LAST else None)
    check = ClosureCheck("owed", lambda *_: "a reply is owed", "answer it")
    monkeypatch.setattr(door.service.runs, "_site", promoted(door.service.runs._site))
    monkeypatch.setattr(runs, "lock_artifact", functools.partial(lock_artifact, checks=(check,)))

    problem = refused(door.post("/v1/runs/r1/locks", {"artifact": LAST}), 409, "closure_refused")

    assert problem["errors"] == [{"check": "owed", "reason": "a reply is owed"}]
    assert problem["remedy"] == "answer it"


def promoted(site):
    """Sites for which what was learned is in the memory plane."""
    return lambda place: replace(site(place), promoted=lambda _: PROMOTED)


def test_a_phase_out_of_order_and_a_finished_run_are_told_apart(door, root):
    make_run(root, a00="draft", a02="draft")
    problem = refused(door.post("/v1/runs/r1/phase", {"phase": PLAN}), 409, "phase_refused")
    assert {error["artifact"] for error in problem["errors"]} == {FIRST, SECOND}

    all_locked(root, "done")
    refused(door.post("/v1/runs/done/phase", {}), 409, "run_complete")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/runs/nix", None),
        ("GET", "/v1/runs/nix/verify", None),
        ("POST", "/v1/runs/nix/phase", {}),
        ("POST", "/v1/runs/nix/locks", {"artifact": FIRST}),
        ("POST", "/v1/runs/nix/reopen", {"artifact": FIRST, "reason": "x"}),
    ],
)
def test_a_run_that_is_not_there_is_said_not_to_be(door, root, method, path, body):
    make_run(root, a00="draft")
    before = tree(root)

    problem = refused(door.request(method, path, json=body), 404, "run_not_found")

    assert "phasegate run start nix" in problem["remedy"]
    assert tree(root) == before


@pytest.mark.parametrize("run_id", ["a/b", "..", "-rf", "CON", ""])
def test_a_name_that_no_run_may_have_is_refused_before_anything_is_made(door, root, run_id):
    problem = refused(door.post("/v1/runs", {"run_id": run_id}), 422, "invalid_request")

    assert problem["errors"][0]["field"] == "run_id"
    assert tree(root) == {}


def test_a_linked_run_is_refused_by_name(door, root, tmp_path):
    outside = tmp_path / "outside"
    make_run(outside, a00="draft")
    (root / ".recursive/run").mkdir(parents=True)
    run_dir(root).symlink_to(run_dir(outside))
    before = tree(outside)

    for path, body in (
        ("phase", {}),
        ("locks", {"artifact": FIRST}),
        ("reopen", {"artifact": FIRST, "reason": "x"}),
    ):
        reply = door.post(f"/v1/runs/r1/{path}", body)
        assert reply.status_code == 409, reply.text
        assert str(tmp_path) not in reply.text
    assert tree(outside) == before


def test_several_workspaces_have_to_be_told_apart(tmp_path):
    spaces = {name: tmp_path / name for name in ("one", "two")}
    for path in spaces.values():
        make_run(path, a00="draft")
    with guard(spaces, tmp_path) as door:
        for method, path, body in (
            ("GET", "/v1/runs", None),
            ("POST", "/v1/runs", {"run_id": "r2"}),
            ("POST", "/v1/runs/r1/phase", {}),
            ("POST", "/v1/observations", {}),
            ("GET", "/v1/memory/explain?q=x", None),
        ):
            refused(door.request(method, path, json=body), 422, "workspace_required")
        refused(door.get("/v1/runs", workspace="three"), 403, "workspace_not_served")
        assert door.post("/v1/runs/r1/phase?workspace=two", {}).json()["workspace"] == "two"
    assert not (run_dir(spaces["one"]) / "memory-injections.json").exists()


def test_tampering_before_an_operation_is_recorded_by_it(door, root):
    """The look after an operation is what later looks are compared with: it must not swallow anything."""
    directory = make_run(root, a00="locked", a00w="draft")
    (directory / "memory-injections.json").write_text(read_rows([FIRST]))
    assert door.post("/v1/observations", {"run_id": "r1"}).json()["tampered"] == []
    (directory / FIRST).unlink()
    (directory / "locks/00-requirements.receipt.json").unlink()

    entered = door.post("/v1/runs/r1/phase", {}).json()

    assert any(FIRST in warning and "lost its lock" in warning for warning in entered["warnings"])
    (record,) = door.get("/v1/decisions", type="tamper").json()["items"]
    assert (record["action"], record["targets"][0]["rel"]) == ("unlocked", f".recursive/run/r1/{FIRST}")
    assert door.post("/v1/observations", {"run_id": "r1"}).json()["fresh"] == []


def test_verify_tells_a_receipt_made_anew_by_its_seal(tmp_path):
    root = tmp_path / "repo"
    make_run(root, a00="draft")
    with guard({"repo": root}, tmp_path, seal_locks=True) as door:
        assert door.post("/v1/runs/r1/locks", {"artifact": FIRST}).status_code == 201
        assert door.get("/v1/runs/r1/verify").json()["ok"]
        directory = run_dir(root)
        (directory / FIRST).write_text(artifact_text("r1", FIRST, "locked", "forged"))
        write_receipt(directory, FIRST)

        report = door.get("/v1/runs/r1/verify").json()

    assert [problem["kind"] for problem in report["problems"]] == ["seal-mismatch"]
    assert not report["ok"]


def test_observed_paths_are_those_of_the_agents_machine(root, tmp_path):
    make_run(root, a00="stale")
    make_run(root, "newer", a00="draft")
    with guard({"repo": root}, tmp_path, map=[f"/host/repo={root.resolve()}"]) as door:
        seen = door.post("/v1/observations", {"paths": [f"/host/repo/.recursive/run/r1/{FIRST}"]}).json()

    assert [tamper["kind"] for tamper in seen["tampered"]] == ["edited"]
    assert seen["runs"] == ["r1"]
