"""The client against scripted answers; the sync and the async one must behave alike."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from phasegate import client as module
from phasegate.client import (
    AsyncPhasegateClient,
    Denied,
    PhasegateClient,
    ServiceError,
    ServiceUnreachable,
    protocol,
)

ALLOW = {
    "decision_id": "d1",
    "kind": "allow",
    "verdict": "allow",
    "mode": "strict",
    "rule": "none",
    "reason": "",
}
DENY = {
    **ALLOW,
    "kind": "deny",
    "verdict": "deny",
    "rule": "phase-order",
    "reason": "`a.md` is a draft",
    "remedy": {
        "action": "lock",
        "artifact": "a.md",
        "text": "lock `a.md`, then write again",
        "retryable": True,
        "waiting_on": ["a.md"],
    },
    "run_id": "r1",
}


class Script:
    """Answers requests in order; an exception is raised instead. Keeps what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, document = answer
        return httpx.Response(status, json=document)

    @property
    def bodies(self):
        return [json.loads(request.content) for request in self.asked]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(protocol, "PAUSE", 0.0)


@pytest.fixture(params=["sync", "async"])
def call(request):
    """Run one operation of either client against a script: `call(script, "decide", ...)`."""

    def run_sync(script, operation, *args, options=None, **kwargs):
        with PhasegateClient(transport=httpx.MockTransport(script), **(options or {})) as guard:
            return getattr(guard, operation)(*args, **kwargs)

    def run_async(script, operation, *args, options=None, **kwargs):
        async def go():
            async with AsyncPhasegateClient(
                transport=httpx.MockTransport(script), **(options or {})
            ) as guard:
                return await getattr(guard, operation)(*args, **kwargs)

        return asyncio.run(go())

    return run_sync if request.param == "sync" else run_async


def test_a_decision_is_typed(call):
    decision = call(Script((200, DENY)), "decide", "write", {"file_path": "a.md"})

    assert (decision.allowed, decision.rule, decision.run_id) == (False, "phase-order", "r1")
    assert decision.remedy.waiting_on == ("a.md",)
    assert decision.text == "`a.md` is a draft. lock `a.md`, then write again"
    assert decision.document["decision_id"] == "d1"


def test_a_call_carries_the_clients_defaults_unless_it_says_otherwise(call):
    script = Script((200, ALLOW))
    call(
        script, "decide", "write", {"path": "a"}, run_id="r2", call_id="c1",
        options={"run_id": "r1", "session_id": "s", "token": "t", "cwd": "/repo"},
    )  # fmt: skip

    assert script.bodies == [
        {
            "tool": "write",
            "args": {"path": "a"},
            "cwd": "/repo",
            "run_id": "r2",
            "session_id": "s",
            "call_id": "c1",
        }
    ]
    assert script.asked[0].headers["authorization"] == "Bearer t"
    assert script.asked[0].url.path == "/v1/decisions"


def test_guard_returns_what_is_allowed_and_raises_what_is_denied(call):
    assert call(Script((200, ALLOW)), "guard", "read").decision_id == "d1"
    with pytest.raises(Denied) as refused:
        call(Script((200, DENY)), "guard", "write")

    assert refused.value.reason == "`a.md` is a draft"
    assert refused.value.remedy == "lock `a.md`, then write again"
    assert refused.value.decision.rule == "phase-order"


def test_an_answer_that_does_not_say_allow_is_a_denial(call):
    assert not call(Script((200, {"decision_id": "d"})), "decide", "write").allowed


def test_strict_raises_when_nobody_answers(call):
    script = Script(*[httpx.ConnectError("refused")] * 4)
    with pytest.raises(ServiceUnreachable, match=r"no service answers at `http://127\.0\.0\.1:8787`"):
        call(script, "guard", "write")

    assert len(script.asked) == 4


def test_advisory_lets_it_pass_with_a_warning_when_nobody_answers(call):
    script = Script(*[httpx.ConnectError("refused")] * 4)
    decision = call(script, "guard", "write", options={"failure_mode": "advisory"})

    assert decision.allowed
    assert decision.decision_id == ""
    assert "not checked" in decision.warning


def test_a_connection_never_made_is_tried_again(call):
    script = Script(httpx.ConnectError("refused"), httpx.ConnectTimeout("slow"), (200, ALLOW))

    assert call(script, "decide", "write").allowed


@pytest.mark.parametrize("error", [httpx.ReadTimeout("late"), httpx.RemoteProtocolError("cut")])
@pytest.mark.parametrize("operation", ["decide", "lock"])
def test_a_request_that_may_have_worked_is_not_sent_again(call, operation, error):
    """A second lock of the same artifact would report a conflict that the first one made."""
    script = Script(error)
    with pytest.raises(ServiceUnreachable):
        call(script, operation, "a.md", options={"run_id": "r1"})

    assert len(script.asked) == 1


@pytest.mark.parametrize(
    ("status", "code"), [(503, "overloaded"), (503, "log_unavailable"), (409, "run_busy")]
)
def test_an_answer_that_says_nothing_was_done_is_asked_again(call, status, code):
    script = Script((status, {"code": code, "detail": "x"}), (200, ALLOW))

    assert call(script, "lock", "a.md", "r1").document == ALLOW


def test_a_refused_lock_is_an_error_with_its_code(call):
    script = Script(
        (409, {"code": "lock_refused", "detail": "`a.md` is not finished", "remedy": "finish it"})
    )
    with pytest.raises(ServiceError) as refused:
        call(script, "lock", "a.md", "r1")

    assert (refused.value.problem, refused.value.status) == ("lock_refused", 409)
    assert (refused.value.detail, refused.value.remedy) == ("`a.md` is not finished", "finish it")
    assert len(script.asked) == 1


def test_a_busy_service_is_given_up_after_a_few_tries(call):
    script = Script(*[(503, {"code": "overloaded", "detail": "busy"})] * 4)
    with pytest.raises(ServiceError, match="busy"):
        call(script, "decide", "write")

    assert len(script.asked) == 4


def test_an_answer_that_is_no_json_is_an_error(call):
    def stranger(request):
        del request
        return httpx.Response(200, text="hello")

    with pytest.raises(ServiceError, match="not a JSON object"):
        call(stranger, "decide", "write")


def test_the_operations_on_a_run_speak_the_documented_routes(call):
    script = Script((200, {"ok": True}))
    options = {"run_id": "r 1", "session_id": "s"}
    call(script, "enter_phase", phase="3", options=options)
    locked = Script((201, {"ok": True}))
    call(locked, "lock", "a.md", workspace="repo", options=options)
    observed = Script((200, {"tampered": [{"path": "a.md"}]}))
    found = call(observed, "observe", paths=["/r/a.md"], call_id="c", options=options)

    assert str(script.asked[0].url) == "http://127.0.0.1:8787/v1/runs/r%201/phase"
    assert script.bodies == [{"phase": "3", "session_id": "s"}]
    assert str(locked.asked[0].url) == "http://127.0.0.1:8787/v1/runs/r%201/locks?workspace=repo"
    assert locked.bodies == [{"artifact": "a.md"}]
    assert observed.bodies == [{"run_id": "r 1", "paths": ["/r/a.md"], "call_id": "c"}]
    assert found.tampered == ({"path": "a.md"},)


def test_an_operation_on_no_run_is_a_mistake_of_the_caller(call):
    with pytest.raises(ValueError, match="run id"):
        call(Script(), "lock", "a.md")


def test_the_environment_names_the_service(monkeypatch):
    monkeypatch.setenv("PHASEGATE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("PHASEGATE_RUN_ID", "r7")
    with PhasegateClient.from_environment() as guard:
        assert guard.where == "http://127.0.0.1:9"


def test_a_misspelt_option_is_refused():
    with pytest.raises(TypeError, match="modus"):
        PhasegateClient(modus="strict")


def test_the_public_names_are_those_listed():
    assert set(module.__all__) <= set(vars(module))
