"""Discovery, the capability table and the way from decisions to an answer."""

from __future__ import annotations

import pytest

from phasegate.core.call import Effect, Extraction
from phasegate.core.verdict import Decision, Remedy
from phasegate.runtimes import (
    NEEDS_PERSON,
    PASS,
    Answer,
    DuplicateRuntime,
    HookRequest,
    answer,
    discover,
    find,
    parse,
    render,
    table,
)

LOCK = Remedy("lock", "lock `a.md`, then write again")
NOTHING = Extraction(Effect.OTHER, "x", known=False)


def decided(kind, verdict, reason="", remedy=LOCK, warning=None):
    return Decision(kind, verdict, "strict", "phase-order", reason, NOTHING, warning=warning, remedy=remedy)


ALLOWED = decided("allow", "allow")
DENIED = decided("deny", "deny", "`a.md` is a draft")
ASKED = decided("deny", "ask", "needs a look")


def test_two_modules_with_one_name_are_refused():
    first = discover()[0]
    with pytest.raises(DuplicateRuntime, match=first.id):
        table([*discover(), first])


def test_every_runtime_can_deny_before_a_tool():
    for runtime in discover():
        rows = [can for can in runtime.events.values() if can.phase == "before"]
        assert rows, runtime.id
        assert all(row.deny for row in rows)


def test_what_cannot_prompt_never_claims_to_ask():
    """Codex and Cursor's general event run the tool when told to ask."""
    asking = {runtime.id for runtime in discover() if any(can.ask for can in runtime.events.values())}

    assert asking.isdisjoint(
        {"codex", "windsurf-cascade", "kiro-cli-2", "goose", "openhands", "cline-vscode"}
    )
    assert not find("cursor").events["preToolUse"].ask


def test_names_in_use_find_their_runtime():
    for alias, name in {
        "copilot-cloud": "copilot-cli",
        "devin": "windsurf-cascade",
        "amazon-q": "kiro-cli-2",
        "gemini": "gemini-cli",
    }.items():
        assert find(alias).id == name
    assert find("no-such-runtime") is None


class TestAnswer:
    def test_no_objection_is_a_pass(self):
        assert answer([ALLOWED, ALLOWED]) == PASS
        assert answer([]) == PASS

    def test_any_denial_of_a_batch_decides(self):
        said = answer([ALLOWED, ASKED, DENIED])

        assert (said.kind, said.text) == ("deny", "`a.md` is a draft. lock `a.md`, then write again")

    def test_a_question_names_the_way_to_approve(self):
        assert answer([ALLOWED, ASKED]).text == "needs a look. lock `a.md`, then write again"
        assert answer([decided("deny", "ask", "needs a look", Remedy("none", ""))]).text == (
            f"needs a look. {NEEDS_PERSON}"
        )

    def test_an_objection_that_is_not_enforced_is_a_warning(self):
        advised = decided("allow", "deny", "`a.md` is a draft", warning="`a.md` is a draft")

        said = answer([ALLOWED, advised])

        assert said.kind == "pass"
        assert said.warning == "phasegate (advisory): `a.md` is a draft. lock `a.md`, then write again"

    def test_an_endless_reason_is_cut(self):
        assert len(answer([decided("deny", "deny", "x" * 100_000)]).text) == 4000


@pytest.mark.parametrize(
    ("name", "field", "mode"),
    [
        ("claude-code", "permission_mode", "bypassPermissions"),
        ("qwen-code", "permission_mode", "yolo"),
        ("factory-droid", "permissionMode", "auto-high"),
    ],
)
def test_a_question_nobody_would_see_is_a_denial(name, field, mode):
    payload = {"cwd": "/r", "tool_name": "Bash", "tool_input": {"command": "x"}, field: mode}
    payload["hookEventName" if name == "factory-droid" else "hook_event_name"] = "PreToolUse"
    runtime = find(name)
    request = parse(runtime, payload)

    assert b'"deny"' in render(runtime, request, Answer("ask", "sure?")).body
    payload[field] = "default"
    assert b'"ask"' in render(runtime, parse(runtime, payload), Answer("ask", "sure?")).body


def test_vscode_may_run_the_hooks_of_claude_without_a_directory():
    """It reads the same settings file; needing `cwd` there would block every call."""
    payload = {"hook_event_name": "PreToolUse", "tool_name": "read_file", "tool_input": {}}

    assert parse(find("claude-code"), payload).defect == "payload has no `cwd`"
    assert parse(find("claude-code"), {**payload, "timestamp": "2026-11-30T10:00:00Z"}).defect is None


def test_a_protocol_refusal_carries_the_id_of_its_request():
    runtime = find("mcp-proxy")
    request = HookRequest("mcp-proxy", "tools/call", "before", correlation="r-9")

    assert b'"id":"r-9"' in render(runtime, request, Answer("deny", "no")).body
