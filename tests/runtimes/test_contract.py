"""One suite over every runtime: payloads are understood, replies are what the runtime obeys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasegate.runtimes import (
    PASS,
    Answer,
    Hint,
    HookReply,
    HookRequest,
    Runtime,
    discover,
    find,
    parse,
    render,
)
from support.hook_cases import hook_cases, runtimes

CASES = hook_cases()
REGISTERED = {entry["id"]: entry for entry in runtimes()}
TEXT = "`a.md` is phase 3 but phase 2 is open. lock it, then write again"


def runtime_of(name: str) -> Runtime:
    runtime = find(name)
    assert runtime is not None, name
    return runtime


def request_on(runtime: Runtime, event: str, *, attended: bool = True) -> HookRequest:
    return HookRequest(runtime.id, event, runtime.capability(event).phase, attended=attended, correlation=7)


def events(phase: str | None = None) -> list[tuple[str, str]]:
    return [
        (runtime.id, event)
        for runtime in discover()
        for event, can in runtime.events.items()
        if phase in (None, can.phase)
    ]


@pytest.mark.parametrize("name", CASES)
class TestPayloads:
    def test_yield_the_tool_as_the_runtime_names_it(self, name):
        case = CASES[name]
        call = parse(runtime_of(case.runtime), json.dumps(case.request).encode()).calls[0]

        assert call.defect is None
        assert call.tool == case.expect["tool"]
        assert call.runtime == case.runtime

    def test_yield_the_event_phase(self, name):
        case = CASES[name]
        request = parse(runtime_of(case.runtime), json.dumps(case.request).encode())
        expected = "permission" if case.reply_set.startswith("PermissionRequest") else "before"

        assert request.phase == {"post": "after"}.get(case.expect.get("phase", ""), expected)

    def test_yield_the_directory_and_command(self, name):
        case = CASES[name]
        call = parse(runtime_of(case.runtime), json.dumps(case.request).encode()).calls[0]
        if "command" in case.expect:
            commands = call.args.get("commands", [call.args.get("command")])
            assert "\n".join(commands) == case.expect["command"]
        if "cwd" in case.expect:
            assert call.cwd == case.expect["cwd"]

    def test_still_work_with_fields_of_a_newer_version(self, name):
        """Runtimes change monthly; a field we don't know must not stop anybody."""
        case = CASES[name]
        runtime = runtime_of(case.runtime)
        grown = {"aNewField": {"deep": [1, None]}, **case.request, "another_one": "x"}
        if isinstance(grown.get("tool_input"), dict):
            grown["tool_input"] = {**grown["tool_input"], "newer": True}

        call = parse(runtime, json.dumps(grown).encode()).calls[0]

        assert (call.defect, call.tool) == (None, case.expect["tool"])

    def test_are_the_same_from_a_mapping_and_from_bytes(self, name):
        case = CASES[name]
        runtime = runtime_of(case.runtime)

        assert parse(runtime, case.request) == parse(runtime, json.dumps(case.request).encode())


def test_every_runtime_of_the_cases_is_there():
    assert {case.runtime for case in CASES.values()} <= {runtime.id for runtime in discover()}


def answers_of(reply_key: str, reply: dict[str, Any]) -> tuple[str, Answer] | None:
    """The answer and event whose reply the cases spell as *reply*; None for what we never say."""
    kind = reply_key.rsplit(".", 1)[-1]
    text = said_in(reply)
    if kind == "pass":
        return reply_key, PASS
    if kind in {"deny", "block"}:
        return reply_key, Answer("deny", text)
    if kind == "ask":
        return reply_key, Answer("ask", text)
    return None


def said_in(reply: dict[str, Any]) -> str:
    """The text inside a reply, wherever its shape keeps it."""
    raw = reply.get("body") if "body" in reply else reply.get("stdout") or reply.get("stderr") or ""
    body = json.loads(raw) if isinstance(raw, str) and raw.startswith("{") else raw
    if isinstance(body, str):
        return body
    nested = body.get("hookSpecificOutput", {})
    inner = nested.get("decision", {})
    for value in (
        nested.get("permissionDecisionReason"),
        inner.get("message"),
        body.get("permissionDecisionReason"),
        body.get("reason"),
        body.get("message"),
        body.get("errorMessage"),
        body.get("context"),
        body.get("user_message"),
    ):
        if value:
            return str(value)
    return ""


def byte_cases() -> list[Any]:
    rows = []
    for entry in runtimes():
        for key, forms in entry["replies"].items():
            for transport, reply in forms.items():
                form = "command" if transport == "fallback_command" else transport
                if form not in {"http", "command", "sidecar"} or answers_of(key, reply) is None:
                    continue
                rows.append(
                    pytest.param(entry["id"], key, form, reply, id=f"{entry['id']}-{key}-{transport}")
                )
    return rows


def event_for(runtime: Runtime, key: str, form: str) -> str:
    prefix = key.rpartition(".")[0]
    if prefix:
        return prefix
    if runtime.id == "cursor" and key == "ask":
        return "beforeShellExecution"
    del form
    return next(event for event, can in runtime.events.items() if can.phase == "before")


@pytest.mark.parametrize(("name", "key", "form", "reply"), byte_cases())
def test_replies_are_the_documented_bytes(name, key, form, reply):
    runtime = runtime_of(name)
    said = answers_of(key, reply)
    assert said is not None
    request = request_on(runtime, event_for(runtime, key, form))
    made = render(runtime, request, said[1], "http" if form == "http" else "command")
    if form == "command":
        body = (reply["stdout"] or reply["stderr"]).encode()
        assert made == HookReply(expected_bytes(name, key, body), reply["exit_code"], stream_of(reply))
    elif form == "http" and reply["status"] == 200:
        assert made.body == json.dumps(reply["body"], separators=(",", ":")).encode()
    else:
        assert json.loads(made.body) == reply["body"]


def expected_bytes(name: str, key: str, body: bytes) -> bytes:
    # Cursor's command line shows its model `user_message` alone, so both keys carry the way on.
    if (name, key) == ("cursor", "deny"):
        spoken = json.loads(body)
        return json.dumps({**spoken, "agent_message": spoken["user_message"]}, separators=(",", ":")).encode()
    return body


def stream_of(reply: dict[str, Any]) -> str:
    return "stderr" if reply["stderr"] else "stdout"


def everything_said() -> list[Answer]:
    return [
        PASS,
        Answer("pass", warning="w"),
        Answer("deny", TEXT),
        Answer("deny", ""),
        Answer("ask", TEXT),
        Answer("ask", ""),
    ]


@pytest.mark.parametrize(("name", "event"), events())
@pytest.mark.parametrize("transport", ["http", "command"])
class TestReplies:
    def test_are_never_a_documented_mistake(self, name, event, transport):
        """Each of these was seen in the field; the tool runs although the guard refused."""
        runtime = runtime_of(name)
        mistakes = REGISTERED.get(name, {}).get("wrong_replies", [])
        for said in everything_said():
            reply = render(runtime, request_on(runtime, event), said, transport)
            for wrong in mistakes:
                assert not is_mistake(reply, wrong, event), (said, wrong)

    def test_are_one_json_object_or_plain_text_for_one_stream(self, name, event, transport):
        for said in everything_said():
            runtime = runtime_of(name)
            reply = render(runtime, request_on(runtime, event), said, transport)
            if reply.stream == "stdout" and reply.body:
                assert isinstance(json.loads(reply.body), dict)
            assert reply.exit_code in {0, 2}
            assert (reply.exit_code == 0) or (reply.stream == "stderr" and reply.body)

    def test_never_approve_actively(self, name, event, transport):
        """An allow would skip the person's own prompt; our own shims prompt nobody and need the word."""
        if REGISTERED.get(name, {}).get("replies", {}).get("allow", {}).get("sidecar"):
            return
        runtime = runtime_of(name)
        if set(runtime.events) & {"before_tool", "after_tool"}:
            return
        for said in (PASS, Answer("pass", warning="w")):
            assert b'"allow"' not in render(runtime, request_on(runtime, event), said, transport).body

    def test_never_turn_a_refusal_into_a_pass(self, name, event, transport):
        runtime = runtime_of(name)
        if runtime.capability(event).phase == "after":
            return
        silence = render(runtime, request_on(runtime, event), PASS, transport)
        for said in (Answer("deny", TEXT), Answer("deny", "")):
            assert render(runtime, request_on(runtime, event), said, transport) != silence

    def test_ask_only_where_a_person_is_asked(self, name, event, transport):
        runtime = runtime_of(name)
        can = runtime.capability(event)
        said = Answer("ask", TEXT)
        asked = render(runtime, request_on(runtime, event), said, transport)
        refused = render(runtime, request_on(runtime, event, attended=False), said, transport)
        if can.phase == "permission":
            assert asked == render(runtime, request_on(runtime, event), PASS, transport)
        elif can.phase == "before":
            assert asks(asked) == can.ask
            assert not asks(refused)
            assert TEXT.encode() in asked.body
            assert TEXT.encode() in refused.body


def asks(reply: HookReply) -> bool:
    return any(mark in reply.body for mark in (b':"ask"', b'"review":true'))


def is_mistake(reply: HookReply, wrong: dict[str, Any], event: str) -> bool:
    if wrong.get("event", event) != event:
        return False
    if "exit_code" in wrong:
        same_text = not wrong.get("stdout") or wrong["stdout"].encode() == reply.body
        empty_needed = "stderr" not in wrong or wrong["stderr"] == reply.body.decode()
        return reply.exit_code == wrong["exit_code"] and same_text and empty_needed
    if "body" in wrong:
        return shape(reply.body) == shape(json.dumps(wrong["body"]).encode())
    if "stdout" in wrong:
        return shape(reply.body) == shape(wrong["stdout"].encode()) and reply.exit_code == 0
    return False


def shape(body: bytes) -> Any:
    """The keys and the fixed words of a JSON body, its free texts blanked."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    return blanked(value)


def blanked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: "" if "eason" in key and item else blanked(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize(("name", "event"), events("after"))
def test_after_a_tool_the_finding_reaches_the_model_where_the_table_says_so(name, event):
    """The tool has run; what is left is to tell the agent what it damaged."""
    runtime = runtime_of(name)
    reply = render(runtime, request_on(runtime, event), Answer("deny", "`a.md` was changed behind its lock"))

    assert reply.exit_code == 0
    assert (b"behind its lock" in reply.body) or not runtime.capability(event).tells


@pytest.mark.parametrize(("name", "event"), events())
def test_a_warning_travels_where_the_table_says_so(name, event):
    runtime = runtime_of(name)
    said = Answer("pass", warning="would be refused")
    reply = render(runtime, request_on(runtime, event), said)
    spoken = b"would be refused" in reply.body

    assert spoken == (runtime.capability(event).warn != "none")
    assert (reply.stream == "stderr") == (runtime.capability(event).warn == "stderr")
    assert reply.exit_code == 0


def test_an_event_that_is_none_of_ours_passes():
    for name in ("claude-code", "codex", "gemini-cli", "cursor", "windsurf-cascade", "cline-sdk"):
        runtime = runtime_of(name)
        request = parse(runtime, {}, Hint(event="SomethingElse"))

        assert (request.phase, request.calls) == ("other", ())
        assert render(runtime, request, Answer("deny", "x")) == render(runtime, request, PASS)
