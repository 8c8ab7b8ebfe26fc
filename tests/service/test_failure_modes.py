"""The named failure modes of a decision, in both modes."""

from __future__ import annotations

import os
import shutil
import threading
from dataclasses import replace

import pytest

from phasegate.core.call import ToolCall
from phasegate.core.rule import Rule
from phasegate.decision_log.record import REPLY_KEYS
from phasegate.errors import LogUnavailable, SettingsError
from phasegate.service import open_service
from phasegate.settings import load_settings
from support import inprocess

LOCKED = ".recursive/run/r1/00-requirements.md"
ACTIVE = ".recursive/run/r1/01-as-is.md"
POLICY = ".recursive/config/recursive-permissions.json"


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

        guard.service.judge.snapshots.witnessed = facts

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
