"""Hostile and incomplete payloads."""

from __future__ import annotations

import copy
import json

import pytest

from phasegate.runtimes import discover, find, parse
from phasegate.runtimes.payload import load
from support.hook_cases import hook_cases

CASES = hook_cases()

NEEDED = {
    "claude-code": ["hook_event_name", "tool_name", "tool_input", "cwd"],
    "codex": ["hook_event_name", "tool_name", "tool_input", "cwd"],
    "gemini-cli": ["hook_event_name", "tool_name", "tool_input", "cwd"],
    "qwen-code": ["hook_event_name", "tool_name", "tool_input", "cwd"],
    "kiro-cli-2": ["hook_event_name", "tool_name", "tool_input", "cwd"],
    "vscode": ["hook_event_name", "tool_name", "tool_input"],
    "cursor": ["hook_event_name"],
    "goose": ["event", "tool_name", "tool_input", "working_dir"],
    "openhands": ["event_type", "tool_name", "tool_input", "working_dir"],
    "opencode": ["tool", "args", "directory"],
    "amp": ["tool", "input"],
    "windsurf-cascade": ["agent_action_name", "tool_info"],
    "cline-vscode": ["hookName", "preToolUse"],
    "openai-agents": ["tool_name", "tool_arguments"],
    "mcp-proxy": ["params"],
    "langchain": ["tool_call"],
}


def needed_fields():
    return [
        pytest.param(name, field, id=f"{name}-{field}")
        for name, case in CASES.items()
        if case.expect.get("phase") != "post"
        for field in NEEDED.get(case.runtime, [])
    ]


@pytest.mark.parametrize(("name", "field"), needed_fields())
def test_a_missing_needed_field_is_named(name, field):
    """Silence about a field we need would be an allow of a call nobody understood."""
    case = CASES[name]
    request = copy.deepcopy(case.request)
    del request[field]

    found = parse(find(case.runtime), json.dumps(request).encode())

    assert found.phase in {"before", "permission"}
    assert found.defect is not None
    assert f"`{field}" in found.defect


@pytest.mark.parametrize("value", [None, 7, True, [], [1], "plain", {}, ""])
@pytest.mark.parametrize("runtime", discover(), ids=lambda runtime: runtime.id)
def test_odd_values_never_raise(runtime, value):
    for case in (case for case in CASES.values() if case.runtime == runtime.id):
        for field in case.request:
            request = {**case.request, field: value}
            parse(runtime, request)
            parse(runtime, json.dumps(request).encode())


@pytest.mark.parametrize("runtime", discover(), ids=lambda runtime: runtime.id)
@pytest.mark.parametrize(
    "body", [b"", b"not json", b"[]", b"7", b"null", b'"x"', b"\xff\xfe", b"{" * 5000, b'{"a":NaN'], ids=str
)
def test_what_is_no_json_object_is_a_defect(runtime, body):
    request = parse(runtime, body)

    assert request.phase == "before"
    assert request.defect is not None


def test_a_byte_order_mark_is_no_defect():
    """PowerShell puts one in front of what it pipes."""
    case = CASES["claude-read"]

    assert parse(find("claude-code"), b"\xef\xbb\xbf" + json.dumps(case.request).encode()).defect is None


def test_a_lone_surrogate_in_a_text_is_no_defect():
    """JavaScript writes them; the file is the person's business, not ours."""
    request = copy.deepcopy(CASES["claude-post-write"].request)
    request["tool_input"]["content"] = "\ud83d half"

    call = parse(find("claude-code"), json.dumps(request).encode()).calls[0]

    assert call.defect is None
    assert call.args["content"].encode().endswith(b" half")


def test_json_nested_too_deep_is_refused_and_not_a_crash():
    assert load(b'{"a":' * 200_000) is None


def test_a_blank_tool_and_arguments_that_are_no_object_are_named():
    base = CASES["claude-read"].request
    blank = parse(find("claude-code"), {**base, "tool_name": "  "})
    listed = parse(find("claude-code"), {**base, "tool_input": [1]})

    assert blank.defect == "`tool_name` is blank"
    assert listed.defect == "`tool_input` is not an object"


def test_a_plain_text_argument_is_the_patch_of_a_patch_tool_and_no_json():
    call = parse(find("copilot-cli"), CASES["copilot-apply-patch-raw"].request).calls[0]

    assert call.args == {"input": CASES["copilot-apply-patch-raw"].request["toolArgs"]}


def test_file_content_that_happens_to_be_json_stays_text():
    """Cline sends every value as text; decoding a package.json would lose its text."""
    request = copy.deepcopy(CASES["cline-replace"].request)
    request["preToolUse"] = {
        "toolName": "write_to_file",
        "parameters": {"path": "package.json", "content": '{"name":"x"}'},
    }

    call = parse(find("cline-vscode"), request).calls[0]

    assert call.args["content"] == '{"name":"x"}'


def test_ids_are_recorded_from_wherever_the_runtime_keeps_them():
    claude = parse(find("claude-code"), {**CASES["claude-read"].request, "agent_id": "a-7"}).calls[0]
    amp = parse(find("amp"), CASES["amp-create"].request).calls[0]
    cline = parse(find("cline-sdk"), CASES["cline-sdk-editor"].request).calls[0]

    assert (claude.session_id, claude.agent_id, claude.call_id) == ("s-4f1c", "a-7", "toolu_0a")
    assert (amp.session_id, amp.call_id) == ("T-1", "tu-1")
    assert (cline.session_id, cline.agent_id, cline.call_id) == ("r1", "a1", "tc1")


def test_an_id_is_cut_before_it_is_recorded():
    call = parse(find("claude-code"), {**CASES["claude-read"].request, "session_id": "s" * 10_000}).calls[0]

    assert len(call.session_id) == 256


class TestBatches:
    def test_each_call_of_a_batch_is_decided(self):
        payload = {
            "event": "before_tool",
            "cwd": "/srv/repo",
            "session_id": "s",
            "calls": [{"tool": "read", "args": {}}, {"tool": "write", "args": {"path": "a"}, "cwd": "/srv"}],
        }

        calls = parse(find("generic"), payload).calls

        assert [(call.tool, call.cwd, call.session_id) for call in calls] == [
            ("read", "/srv/repo", "s"),
            ("write", "/srv", "s"),
        ]

    @pytest.mark.parametrize("calls", [[], "x", [{}] * 257, {}])
    def test_a_batch_that_is_none_is_a_defect(self, calls):
        assert "`calls`" in parse(find("generic"), {"calls": calls}).defect

    def test_one_broken_entry_does_not_hide_behind_a_good_one(self):
        request = parse(find("generic"), {"calls": [{"tool": "read", "args": {}}, {"args": {}}, 7]})

        assert [call.defect for call in request.calls] == [
            None,
            "payload has no `tool`",
            "payload is not a JSON object",
        ]

    def test_only_the_tool_calls_of_a_protocol_batch_count(self):
        listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        called = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x"}}

        request = parse(find("mcp-proxy"), json.dumps([listed, called]).encode())

        assert [call.tool for call in request.calls] == ["x"]
        assert request.correlation == 2
