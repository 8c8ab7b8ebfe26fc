"""Hooks over HTTP: always an answer that the runtime obeys."""

from __future__ import annotations

import json

import pytest

from support import inprocess

LOCKED = ".recursive/run/r1/00-requirements.md"


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "repo"
    inprocess.make_run(path)
    return path


@pytest.fixture
def strict(root, tmp_path):
    with inprocess.guard({"repo": root}, tmp_path) as running:
        yield running


def metric(guard, name: str) -> float:
    lines = guard.get("/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


class TestHooks:
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

    def break_judge(self, guard, monkeypatch, error):
        def judge(*_, **__):
            raise error

        monkeypatch.setattr(type(guard.service.judge), "judge", judge)

    def test_a_defect_of_ours_is_a_denial_in_the_runtimes_form(self, strict, root, monkeypatch):
        """With status 500 most runtimes run the tool."""
        self.break_judge(strict, monkeypatch, RuntimeError("boom"))

        reply = self.ask(strict, self.payload(root))

        assert reply.status_code == 200
        said = reply.json()["hookSpecificOutput"]
        assert said["permissionDecision"] == "deny"
        assert "the guard failed (RuntimeError)" in said["permissionDecisionReason"]

    def test_an_advisory_guard_passes_what_it_could_not_judge_and_says_so(self, root, tmp_path, monkeypatch):
        with inprocess.guard({"repo": root}, tmp_path, mode="advisory") as guard:
            self.break_judge(guard, monkeypatch, RuntimeError("boom"))

            reply = self.ask(guard, self.payload(root))
            tightened = self.ask(guard, self.payload(root), "/v1/hooks/claude-code?mode=strict")

        assert '"deny"' not in reply.text
        assert "was not checked" in reply.text
        assert tightened.json()["hookSpecificOutput"]["permissionDecision"] == "deny"

    def test_after_the_tool_another_projects_call_is_nobodys_business(self, strict, root, tmp_path):
        path = root / LOCKED
        path.write_text(path.read_text() + "added\n")
        elsewhere = self.payload(root, cwd=str(tmp_path), hook_event_name="PostToolUse", tool_input={})

        assert "00-requirements.md" not in self.ask(strict, elsewhere).text
