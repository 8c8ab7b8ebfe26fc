"""The named failure modes, and what the stories leave behind in the log."""

from __future__ import annotations

import json
import os
import shutil
import threading
from dataclasses import replace

import pytest

from phasegate.core.call import ToolCall
from phasegate.core.rule import Rule
from phasegate.decision_log.record import REPLY_KEYS
from phasegate.errors import LogUnavailable, SettingsError
from phasegate.service import Counters, open_service
from phasegate.service.labels import now_text, uuid7
from phasegate.settings import load_settings
from support import inprocess

LOCKED = ".recursive/run/r1/00-requirements.md"
ACTIVE = ".recursive/run/r1/01-as-is.md"
POLICY = ".recursive/config/recursive-permissions.json"


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "repo"
    inprocess.make_run(path)
    return path


@pytest.fixture(params=["strict", "advisory"])
def guard(request, root, tmp_path):
    with inprocess.guard({"repo": root}, tmp_path, mode=request.param) as running:
        running.mode = request.param
        yield running


def metric(guard, name: str) -> float:
    lines = guard.get("/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


class TestPolicyIsBroken:
    @pytest.mark.parametrize(
        "text", ["", "{", "[]", '{"rules": []}', '{"rule": []}', '{"rules": [{"pattern": "*."}]}', "\ufeff{}"]
    )
    def test_denies_in_both_modes_and_says_why(self, guard, root, text):
        """Breaking the file must not switch it off."""
        path = root / POLICY
        path.parent.mkdir()
        path.write_text(text)

        reply = guard.decide("read", {"file_path": "a"})

        assert (reply["kind"], reply["rule"], reply["policy"]["source"]) == ("deny", "none", "defect")
        assert "policy" in reply["reason"]
        assert reply["remedy"]["action"] == "fix_policy"

    def test_the_last_good_policy_is_not_kept(self, guard, root):
        path = root / POLICY
        path.parent.mkdir()
        path.write_text('{"rules": [{"pattern": "*", "verdict": "allow", "reason": "ok"}]}')
        assert guard.decide("read", {"file_path": "a"})["kind"] == "allow"

        path.write_text('{"rules": [}')

        assert guard.decide("read", {"file_path": "a"})["kind"] == "deny"


class TestFactsCannotBeRead:
    def break_snapshots(self, guard, error):
        def facts(*_):
            raise error

        guard.service.judge.snapshots.facts = facts

    def test_an_unexpected_error_denies_or_warns_and_is_counted(self, guard):
        self.break_snapshots(guard, KeyError("boom"))

        reply = guard.decide("write", {"file_path": "src/a.py"})

        assert reply["kind"] == ("deny" if guard.mode == "strict" else "allow")
        assert "KeyError" in (reply["reason"] or reply["warning"])
        assert metric(guard, "phasegate_judgement_failures_total") == 1
        assert guard.get(f"/v1/decisions/{reply['decision_id']}").json()["findings"]

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
    def test_a_file_without_permission_denies_or_warns(self, guard, root):
        (root / ACTIVE).chmod(0)

        reply = guard.decide("write", {"file_path": ACTIVE})

        assert reply["kind"] == ("deny" if guard.mode == "strict" else "allow")

    def test_a_loop_of_links_in_the_place_of_the_run_is_no_way_in(self, guard, root):
        shutil.rmtree(root / ".recursive" / "run" / "r1")
        (root / ".recursive" / "run" / "r1").symlink_to("r1")

        reply = guard.decide("write", {"file_path": LOCKED})

        assert reply["kind"] == ("deny" if guard.mode == "strict" else "allow")
        assert reply["findings"]


class TestARuleRaises:
    def test_denies_or_warns_and_names_the_rule(self, guard):
        def boom(*_):
            raise ZeroDivisionError

        base = guard.service.judge.policies._base
        broken = Rule("house", 99, "breaks", boom)
        guard.service.judge.policies._base = replace(base, rules=(*base.rules, broken))

        reply = guard.decide("write", {"file_path": "src/a.py"})

        assert reply["kind"] == ("deny" if guard.mode == "strict" else "allow")
        assert reply["rule"] == "house"
        assert "`house` failed" in (reply["reason"] or reply["warning"])
        assert guard.get(f"/v1/decisions/{reply['decision_id']}").json()["rule"] == "house"


class TestLogCannotBeWritten:
    def break_log(self, guard, monkeypatch):
        def append_many(_):
            raise LogUnavailable("the decision log can't be written: the disk is full")

        monkeypatch.setattr(guard.service._store, "append_many", append_many)

    def test_an_allow_becomes_a_denial_or_a_warned_allow(self, guard, monkeypatch):
        self.break_log(guard, monkeypatch)

        reply = guard.decide("write", {"file_path": "src/a.py"})

        assert tuple(reply) == REPLY_KEYS
        assert reply["record"] is None
        assert metric(guard, "phasegate_decisions_unrecorded_total") == 1
        if guard.mode == "strict":
            assert (reply["kind"], reply["rule"]) == ("deny", "none")
            assert reply["reason"] == "decision log unavailable"
        else:
            assert (reply["kind"], reply["warning"]) == ("allow", "decision log unavailable")
        assert "disk is full" in " ".join(reply["warnings"])

    def test_a_denial_stays_one(self, guard, monkeypatch):
        self.break_log(guard, monkeypatch)

        reply = guard.decide("write", {"file_path": POLICY, "content": "{}"})

        assert reply["kind"] == "deny"
        assert "control-plane" in {finding["rule"] for finding in reply["findings"]}

    def test_readiness_says_so_until_a_record_is_written_again(self, guard, monkeypatch):
        with monkeypatch.context() as patched:
            self.break_log(guard, patched)
            guard.decide("read", {})
            reply = guard.get("/readyz")
            assert reply.status_code == 503
            assert "disk is full" in reply.json()["log"]["problem"]

        guard.decide("read", {})

        assert guard.get("/readyz").status_code == 200

    def test_a_full_database_behaves_so_too(self, guard):
        """The real store, with a real limit on its pages."""
        guard.decide("read", {})
        connection = guard.service._store._writer.connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

        reply = {"record": {}}
        for _ in range(200):
            reply = guard.decide("read", {})
            if reply["record"] is None:
                break

        assert reply["record"] is None
        assert reply["kind"] == ("deny" if guard.mode == "strict" else "allow")
        assert guard.get("/v1/decisions/verify").json()["ok"]

        connection.execute("PRAGMA max_page_count = 1000000")

        assert guard.decide("read", {})["record"] is not None
        assert guard.get("/v1/decisions/verify").json()["ok"]


class TestRuns:
    @pytest.fixture
    def strict(self, root, tmp_path):
        with inprocess.guard({"repo": root}, tmp_path) as running:
            yield running

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


class TestHooks:
    @pytest.fixture
    def strict(self, root, tmp_path):
        with inprocess.guard({"repo": root}, tmp_path) as running:
            yield running

    def ask(self, guard, payload, path="/v1/hooks/claude-code", **headers):
        return guard.post(path, json.dumps(payload).encode(), headers=headers)

    def payload(self, root, **more):
        return {
            "session_id": "s",
            "cwd": str(root),
            "hook_event_name": "PreToolUse",
            "tool_name": "Write",
            "tool_input": {"file_path": str(root / LOCKED), "content": "x"},
            "tool_use_id": "t1",
        } | more

    def test_a_denial_is_200_in_the_runtimes_own_form(self, strict, root):
        reply = self.ask(strict, self.payload(root))

        assert reply.status_code == 200
        said = reply.json()["hookSpecificOutput"]
        assert said["permissionDecision"] == "deny"
        assert "00-requirements.md" in said["permissionDecisionReason"]
        assert set(reply.headers) >= {"phasegate-exit", "phasegate-stream"}
        record = strict.get("/v1/decisions", call_id="t1").json()["items"][0]
        assert (record["kind"], record["runtime"]) == ("deny", "claude-code")

    def test_an_ordinary_write_passes_in_silence(self, strict, root):
        payload = self.payload(root, tool_input={"file_path": str(root / "src/a.py"), "content": "x"})

        reply = self.ask(strict, payload)

        assert reply.status_code == 200
        assert "deny" not in reply.text

    def test_the_run_comes_from_header_or_query(self, strict, root):
        call = self.payload(root, tool_input={"file_path": str(root / "src/a.py"), "content": "x"})

        self.ask(strict, call | {"tool_use_id": "q"}, "/v1/hooks/claude-code?run=r1")
        self.ask(strict, call | {"tool_use_id": "h"}, **{"Phasegate-Run": "r1"})

        for call_id in ("q", "h"):
            record = strict.get("/v1/decisions", call_id=call_id).json()["items"][0]
            assert record["session_run_id"] == "r1"

    def test_a_directory_that_is_not_served_passes_and_is_counted(self, strict, root, tmp_path):
        """A hook installed for a user must not block that user's other projects."""
        payload = self.payload(root, cwd=str(tmp_path), tool_input={"file_path": "a.txt", "content": "x"})

        reply = self.ask(strict, payload)

        assert "deny" not in reply.text
        assert metric(strict, "phasegate_unserved_total") == 1
        assert strict.get("/v1/decisions").json()["items"] == []

    def test_leaving_the_workspace_does_not_open_it(self, strict, root, tmp_path):
        """From /tmp an absolute path leads into the run all the same."""
        reply = self.ask(strict, self.payload(root, cwd=str(tmp_path)))

        assert reply.json()["hookSpecificOutput"]["permissionDecision"] == "deny"

    def test_after_the_tool_the_damage_is_told_and_no_call_is_decided(self, strict, root):
        after = self.payload(root, hook_event_name="PostToolUse", tool_response={"ok": True})
        assert "deny" not in self.ask(strict, after).text
        path = root / LOCKED
        path.write_text(path.read_text() + "added\n")

        reply = self.ask(strict, after)

        assert "00-requirements.md" in reply.text
        assert strict.get("/v1/decisions").json()["items"] == []
        assert strict.get("/v1/decisions", type="tamper").json()["items"]

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"tool_name": 7}'])
    def test_a_payload_that_is_none_is_denied_with_200(self, strict, body):
        reply = strict.post("/v1/hooks/claude-code", body)

        assert reply.status_code == 200
        assert "deny" in reply.text

    def test_an_oversized_payload_is_a_denial_not_a_broken_hook(self, strict):
        """Most runtimes run the tool when a hook answers 413."""
        reply = strict.post("/v1/hooks/claude-code", b"[" + b" " * (16 * 1024 * 1024))

        assert reply.status_code == 200
        assert reply.json()["hookSpecificOutput"]["permissionDecision"] == "deny"

    def test_a_large_payload_with_contents_is_read(self, strict, root):
        payload = self.payload(
            root, tool_input={"file_path": str(root / "a.bin"), "content": "x" * 3_000_000}
        )

        assert "deny" not in self.ask(strict, payload).text

    def test_an_unknown_runtime_is_422(self, strict):
        reply = strict.post("/v1/hooks/nobody", {})

        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")


def test_explain_needs_no_started_service(root, tmp_path):
    settings = load_settings({"workspace": [str(root)], "data": str(tmp_path / "d")}, {})
    service = open_service(settings)

    assert service.explain(ToolCall("write", {"file_path": LOCKED}))["rule"] == "locked-write"
    service.discard()


@pytest.mark.parametrize("kind", ["file", "read-only"])
def test_a_data_directory_that_cannot_be_written_refuses_to_start(root, tmp_path, kind):
    """A strict guard without a log could only deny everything; better to say so at once."""
    data = tmp_path / "d"
    if kind == "file":
        data.write_text("a file where the directory belongs")
    elif os.geteuid() == 0:
        pytest.skip("nothing is read-only for root")
    else:
        data.mkdir(mode=0o500)
    settings = load_settings({"workspace": [str(root)], "data": str(data)}, {})

    with pytest.raises(SettingsError, match="the data directory"):
        open_service(settings)


def test_ids_are_uuid7_in_order_of_time_and_unique():
    made = [uuid7() for _ in range(5000)]

    assert len(set(made)) == 5000
    assert [item[:18] for item in made] == sorted(item[:18] for item in made)
    assert {(item[14], item[19] in "89ab", len(item)) for item in made} == {("7", True, 36)}


def test_times_are_utc_with_microseconds():
    assert len(now_text()) == len("2026-11-30T12:00:00.123456Z")
    assert now_text().endswith("Z")


def test_metric_series_are_bounded():
    """Rule labels come from policy files that an agent may not write but a repository can carry."""
    counters = Counters()
    for number in range(3000):
        counters.decided("deny", f"rule-{number}", "strict", 0.001)

    assert len(counters.decisions) <= 1002
    assert sum(counters.decisions.values()) == 3000


class TestParserProcesses:
    """A command that takes the parser long must not hold up everybody else's decisions."""

    def test_run_off_the_event_loop(self, root, tmp_path, monkeypatch):
        with inprocess.guard({"repo": root}, tmp_path) as guard:
            parser = guard.service.judge.parser
            threads = []
            real = parser._parse

            def slow(text):
                threads.append(threading.current_thread())
                return real(text)

            monkeypatch.setattr(parser, "_parse", slow)

            first = guard.decide("bash", {"command": f"tee {LOCKED} < a; echo $(date)"})
            again = guard.decide("bash", {"command": f"tee {LOCKED} < a; echo $(date)"})

            assert first["kind"] == again["kind"] == "deny"
            assert len(threads) == 1
            assert threads[0] is not threading.main_thread()
