"""Stories about runs: what they do, and what they leave behind in the log."""

from __future__ import annotations

import pytest

from support import inprocess

LOCKED = ".recursive/run/r1/00-requirements.md"
ACTIVE = ".recursive/run/r1/01-as-is.md"


class TestRuns:
    def test_entering_a_phase_opens_the_memory_gate(self, tmp_path):
        """The one thing that a fresh run needs before its first artifact may be written."""
        root = tmp_path / "fresh"
        inprocess.make_run(root, locked=0, drafts=2, read=False)
        with inprocess.guard({"fresh": root}, tmp_path) as guard:
            write = ("write", {"file_path": LOCKED, "content": "x"})
            denied = guard.decide(*write)
            assert (denied["kind"], denied["rule"]) == ("deny", "memory-read")

            entered = guard.post("/v1/runs/r1/phase", {"session_id": "s-1"})

            assert entered.status_code == 200, entered.text
            assert entered.json()["record"]["seq"] > 0
            assert guard.decide(*write)["kind"] == "allow"
            acts = guard.get("/v1/decisions", type="lifecycle").json()["items"]
            assert [(act["action"], act["run_id"], act["session_id"]) for act in acts] == [
                ("enter", "r1", "s-1")
            ]

    def test_start_lock_and_reopen_leave_lifecycle_records(self, strict, root):
        assert strict.post("/v1/runs", {"run_id": "r2", "title": "Second"}).status_code == 201
        text = (root / ".recursive/run/r1/01-as-is.md").read_text()
        (root / ".recursive/run/r1/01-as-is.md").write_text(text + "\nwritten\n")
        locked = strict.post("/v1/runs/r1/locks", {"artifact": "01-as-is.md"})
        assert locked.status_code == 201, locked.text
        refused = strict.decide("write", {"file_path": ACTIVE})
        assert refused["rule"] == "locked-write"
        reopened = strict.post("/v1/runs/r1/reopen", {"artifact": "01-as-is.md", "reason": "a mistake"})
        assert reopened.status_code == 200, reopened.text

        acts = strict.get("/v1/decisions", type="lifecycle").json()["items"]

        assert [act["action"] for act in acts] == ["reopen", "lock", "run_created"]
        assert strict.decide("write", {"file_path": ACTIVE})["kind"] == "allow"
        assert strict.get("/v1/decisions/verify").json()["ok"]

    def test_a_lock_out_of_order_is_409_with_the_decision(self, strict):
        reply = strict.post("/v1/runs/r1/locks", {"artifact": "08-memory-impact.md"})

        problem = reply.json()
        assert (reply.status_code, problem["code"]) == (409, "lock_refused")
        assert problem["errors"][0]["decision"]["rule"] == "lock-order"
        assert problem["remedy"]

    def test_status_listing_and_verification(self, strict):
        assert [item["run_id"] for item in strict.get("/v1/runs").json()["items"]] == ["r1"]
        status = strict.get("/v1/runs/r1").json()
        assert status["active_artifact"] == "01-as-is.md"
        assert status["artifacts"][0]["status"] == "LOCKED"
        assert strict.get("/v1/runs/r1/verify").json()["ok"]

    @pytest.mark.parametrize(
        ("path", "status", "code"),
        [
            ("/v1/runs/none", 404, "run_not_found"),
            ("/v1/runs/none/verify", 404, "run_not_found"),
            ("/v1/runs/..x", 422, "invalid_request"),
            ("/v1/runs?workspace=other", 403, "workspace_not_served"),
        ],
    )
    def test_errors_of_looking(self, strict, path, status, code):
        reply = strict.request("GET", path)

        assert (reply.status_code, reply.json()["code"]) == (status, code)

    def test_an_observation_finds_and_records_tampering_once(self, strict, root):
        assert strict.post("/v1/observations", {"run_id": "r1"}).json()["tampered"] == []
        path = root / LOCKED
        path.write_text(path.read_text() + "added\n")

        first = strict.post("/v1/observations", {"paths": [str(path)], "call_id": "c-9"}).json()
        second = strict.post("/v1/observations", {"run_id": "r1"}).json()

        assert [item["kind"] for item in first["fresh"]] == ["edited"]
        assert (len(second["tampered"]), second["fresh"]) == (1, [])
        found = strict.get("/v1/decisions", type="tamper").json()["items"]
        assert [(item["action"], item["call_id"]) for item in found] == [("edited", "c-9")]
