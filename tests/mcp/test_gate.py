"""What becomes of each message: forwarded as it is, or answered."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from phasegate.client import AsyncPhasegateClient
from phasegate.mcp.gate import Gate

DENY = {
    "kind": "deny",
    "verdict": "deny",
    "mode": "strict",
    "rule": "phase-order",
    "reason": "`a.md` is a draft",
    "remedy": {"action": "lock", "text": "lock it"},
}
TEXT = "`a.md` is a draft. lock it"


def guard(asked, *, down=False):
    """A client whose service denies what writes and allows the rest."""

    def answer(request):
        if down:
            raise httpx.ReadTimeout("late")
        body = json.loads(request.content)
        asked.append(body)
        return httpx.Response(200, json=DENY if body["tool"] == "write_file" else {**DENY, "kind": "allow"})

    return AsyncPhasegateClient(transport=httpx.MockTransport(answer), cwd="/repo")


def judge(message, asked=None, **options):
    raw = message if isinstance(message, bytes) else json.dumps(message).encode()

    async def go():
        async with guard([] if asked is None else asked, **options) as client:
            return await Gate(client).judge(raw)

    return asyncio.run(go())


def call(name, request_id=7, **arguments):
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def test_a_denied_call_is_answered_with_a_tool_error_and_never_forwarded():
    passage = judge(call("write_file", path="/repo/a.md"))

    assert not passage.forward
    assert passage.reply == {
        "jsonrpc": "2.0",
        "id": 7,
        "result": {"content": [{"type": "text", "text": TEXT}], "isError": True},
    }
    assert b"\n" not in passage.reply_bytes()


def test_an_allowed_call_is_forwarded_and_was_asked_about():
    asked = []

    assert judge(call("search", q="x"), asked).forward
    assert asked == [
        {"tool": "search", "args": {"q": "x"}, "cwd": "/repo", "runtime": "mcp-proxy", "call_id": "7"}
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        b"",
        b"\n",
    ],
    ids=str,
)
def test_every_other_message_passes_without_a_question(message):
    asked = []

    assert judge(message, asked).forward
    assert asked == []


def test_a_method_spelled_with_escapes_is_still_a_call():
    assert not judge(
        json.dumps(call("write_file")).replace("tools/call", "tools\\u002fcall").encode()
    ).forward


def test_what_is_no_json_is_not_left_to_the_servers_taste():
    assert judge(b"{'method': 'tools/call'}").reply["error"]["code"] == -32700


def test_a_call_without_a_name_is_refused_and_says_what_is_missing():
    passage = judge({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}})

    assert "`params.name`" in passage.reply["result"]["content"][0]["text"]


def test_a_batch_with_one_refused_call_does_not_run_half():
    listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    note = {"jsonrpc": "2.0", "method": "notifications/progress"}
    passage = judge([call("search", 1), listed, note, call("write_file", 3)])

    assert not passage.forward
    assert [(item["id"], "result" in item) for item in passage.reply] == [(1, True), (2, False), (3, True)]


def test_a_batch_of_allowed_calls_is_forwarded():
    assert judge([call("search", 1), call("read", 2)]).forward


def test_a_refused_call_that_wants_no_answer_gets_none():
    message = call("write_file")
    del message["id"]
    passage = judge(message)

    assert (passage.forward, passage.reply) == (False, None)


def test_without_a_service_a_call_is_refused():
    text = judge(call("search"), down=True).reply["result"]["content"][0]["text"]

    assert "no service answers" in text
    assert "phasegate serve" in text
