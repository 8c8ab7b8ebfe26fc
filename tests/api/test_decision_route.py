"""The decision route: its reply, its errors, and that they are those of the framework's routes."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from phasegate.api.reply_models import DecisionReply

LOCKED = ".recursive/run/r1/00-requirements.md"
ACTIVE = ".recursive/run/r1/01-as-is.md"
FUTURE = ".recursive/run/r1/02-to-be-plan.md"

BAD_BODIES = {
    "empty": b"",
    "not json": b"{",
    "list": b"[]",
    "null": b"null",
    "number": b"7",
    "invalid utf-8": b'{"tool": "\xff"}',
    "nan": b'{"tool": "write", "args": {"n": NaN}}',
    "deep": b'{"tool": "write", "args": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "duplicate key": b'{"tool": "read", "tool": "write"}',
    "duplicate path": b'{"tool": "write", "args": {"file_path": "a", "file_path": "b"}}',
    "no tool": b'{"args": {}}',
    "tool is a number": b'{"tool": 1}',
    "tool is too long": json.dumps({"tool": "x" * 600}).encode(),
    "unknown field": b'{"tool": "write", "phase": "00"}',
    "facts smuggled in": b'{"tool": "write", "facts": {"locked": []}, "active_artifact": "x"}',
    "bad mode": b'{"tool": "write", "mode": "off"}',
    "relative workspace": b'{"tool": "write", "workspace": "repo"}',
    "nul in cwd": b'{"tool": "write", "cwd": "/a\\u0000b"}',
    "run id is a list": b'{"tool": "write", "run_id": ["r1"]}',
}


def test_a_denial_has_the_documented_form(guard, one):
    reply = guard.decide("write", {"file_path": FUTURE, "content": "x"}, workspace=one, run_id="r1")

    DecisionReply.model_validate(reply)
    assert list(reply) == list(DecisionReply.model_fields)
    assert (reply["kind"], reply["rule"], reply["mode"]) == ("deny", "phase-order", "strict")
    assert reply["remedy"]["action"] == "lock"
    assert reply["targets"][0]["path"] == f"{one}/{FUTURE}"
    assert reply["targets"][0]["rel"] == FUTURE
    assert reply["record"]["seq"] > 0


def test_an_allow_has_the_documented_form(guard, one):
    reply = guard.decide("write", {"file_path": "src/a.py", "content": "x"}, workspace=one)

    DecisionReply.model_validate(reply)
    assert (reply["kind"], reply["rule"], reply["reason"], reply["warning"]) == ("allow", "none", "", None)


def test_the_record_is_durable_and_findable_once_the_reply_is_there(guard, one):
    reply = guard.decide("write", {"file_path": ACTIVE}, workspace=one, call_id="find-me")

    record = guard.get(f"/v1/decisions/{reply['decision_id']}").json()

    assert (record["seq"], record["hash"]) == (reply["record"]["seq"], reply["record"]["hash"])
    assert record["call_id"] == "find-me"
    assert one not in json.dumps(record)


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
class TestBadBodies:
    def test_are_422_and_name_field_problem_and_remedy(self, guard, body):
        reply = guard.post("/v1/decisions", body)

        problem = reply.json()
        assert (reply.status_code, problem["code"]) == (422, "invalid_request")
        assert reply.headers["content-type"] == "application/problem+json"
        assert all(item["field"] and item["problem"] and item["remedy"] for item in problem["errors"])

    def test_are_answered_as_by_a_framework_route(self, guard, body):
        """Two readers of one document must not drift apart."""
        ours = guard.post("/v1/decisions", body).json()
        theirs = guard.post("/v1/explain", body).json()

        assert ours == theirs


class TestMalformedCalls:
    """Defects of the call itself are decisions: denied in both modes, and recorded."""

    @pytest.mark.parametrize("args", [[], ["a"], 7, True, "", "text", "[1]", '"x"', '{"a": 1, "a": 2}', "{"])
    def test_arguments_of_the_wrong_kind_are_denied_and_recorded(self, guard, one, args):
        reply = guard.decide("write", args, workspace=one)

        assert (reply["kind"], reply["rule"]) == ("deny", "none")
        assert "`args`" in reply["reason"]
        assert guard.get(f"/v1/decisions/{reply['decision_id']}").json()["kind"] == "deny"

    @pytest.mark.parametrize("tool", ["", "  ", "\t\n"])
    def test_a_blank_tool_is_denied_and_recorded(self, guard, one, tool):
        reply = guard.decide(tool, {}, workspace=one)

        assert reply["kind"] == "deny"
        assert "tool" in reply["reason"]

    @pytest.mark.parametrize("run_id", ["../../x", "a/b", "", "con trol", "x" * 101])
    def test_a_malformed_run_id_is_denied_and_recorded(self, guard, one, run_id):
        reply = guard.decide("write", {"file_path": "src/a.py"}, workspace=one, run_id=run_id)

        assert (reply["kind"], reply["rule"]) == ("deny", "none")
        assert "run id" in reply["reason"]

    def test_arguments_as_the_json_text_of_an_object_are_read(self, guard, one):
        reply = guard.decide("write", json.dumps({"file_path": LOCKED}), workspace=one)

        assert reply["rule"] == "locked-write"

    @pytest.mark.parametrize("args", [None, {}])
    def test_no_arguments_are_an_empty_object(self, guard, one, args):
        assert guard.decide("read", args, workspace=one)["kind"] == "allow"


class TestWorkspace:
    def test_is_required_when_several_are_served(self, guard):
        reply = guard.post("/v1/decisions", {"tool": "write"})

        assert (reply.status_code, reply.json()["code"]) == (422, "workspace_required")

    def test_that_is_not_served_is_refused(self, guard, tmp_path):
        reply = guard.post("/v1/decisions", {"tool": "write", "workspace": str(tmp_path)})

        assert (reply.status_code, reply.json()["code"]) == (403, "workspace_not_served")

    def test_is_found_from_the_working_directory(self, guard, spaces):
        reply = guard.decide("write", {"file_path": "../../" + LOCKED}, cwd=str(spaces["two"] / "src" / "x"))

        assert reply["targets"][0]["path"] == str(spaces["two"] / LOCKED)
        assert reply["kind"] == "deny"


def test_advisory_mode_of_a_call_cannot_loosen_a_strict_service(guard, one):
    reply = guard.decide("write", {"file_path": LOCKED}, workspace=one, mode="advisory")

    assert reply["kind"] == "deny"
    assert any("may only tighten" in warning for warning in reply["warnings"])


def test_a_body_over_a_mebibyte_is_413(guard):
    reply = guard.post("/v1/decisions", b'{"tool": "' + b"x" * 1024 * 1024 + b'"}')

    assert (reply.status_code, reply.json()["code"]) == (413, "body_too_large")


def test_a_foreign_host_is_421(guard):
    reply = guard.post("/v1/decisions", {"tool": "x"}, headers={"host": "evil.example"})

    assert (reply.status_code, reply.json()["code"]) == (421, "host_refused")


def test_get_on_the_same_path_is_the_log(guard):
    assert guard.get("/v1/decisions").status_code == 200


def test_another_method_is_405_as_a_problem(guard):
    reply = guard.request("PUT", "/v1/decisions")

    assert (reply.status_code, reply.json()["code"]) == (405, "method_not_allowed")


@pytest.fixture(scope="module")
def document(guard):
    return guard.get("/openapi.json").json()


class TestOpenApi:
    def test_declares_the_route_with_the_schemas_that_it_checks_with(self, document):
        route = document["paths"]["/v1/decisions"]["post"]
        explained = document["paths"]["/v1/explain"]["post"]

        assert route["requestBody"] == explained["requestBody"]
        content = route["responses"]["200"]["content"]["application/json"]["schema"]
        assert content == {"$ref": "#/components/schemas/DecisionReply"}
        declared = document["components"]["schemas"]["DecisionReply"]
        assert declared["required"] == list(DecisionReply.model_fields)
        assert declared["additionalProperties"] is False

    def test_the_same_errors_are_declared_as_for_framework_routes(self, document):
        route = document["paths"]["/v1/decisions"]["post"]["responses"]
        explained = document["paths"]["/v1/explain"]["post"]["responses"]

        assert set(route) == set(explained)
        for status in set(route) - {"200"}:
            assert route[status] == explained[status]

    def test_every_reference_leads_somewhere(self, document):
        text = json.dumps(document)
        names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}

        assert names <= set(document["components"]["schemas"])

    def test_shows_an_example_call(self, document):
        assert document["components"]["schemas"]["DecisionRequest"]["examples"]

    def test_every_route_declares_its_problems(self, document):
        for path, operations in document["paths"].items():
            if path in ("/healthz", "/readyz", "/metrics") or path.startswith("/v1/hooks"):
                continue
            for method, operation in operations.items():
                declared = set(operation["responses"])
                assert {"401", "421", "503"} <= declared, (path, method)


def test_the_reply_model_accepts_what_the_wire_carries(guard, one):
    """Also for the forms that most calls lack: asks, transitions, opaque parts."""
    adapter = TypeAdapter(DecisionReply)
    for tool, args in (
        ("bash", {"command": "weird-tool .recursive/run/r1/00-requirements.md"}),
        ("recursive_lock", {"artifact": "08-memory-impact.md", "runId": "r1"}),
        ("recursive_lock", {"artifact": "01-as-is.md", "runId": "r1"}),
        ("apply_patch", {"input": f"*** Begin Patch\n*** Delete File: {LOCKED}\n*** End Patch"}),
    ):
        adapter.validate_python(guard.decide(tool, args, workspace=one, run_id="r1"))


@pytest.mark.parametrize("path", ["/v1/decisions", "/v1/explain"])
def test_a_defect_of_ours_is_a_500_problem_that_gives_no_decision(guard, one, monkeypatch, path):
    def judge(*_, **__):
        raise RuntimeError("a path: /srv/secret")

    monkeypatch.setattr(type(guard.service.judge), "judge", judge)

    reply = guard.post(path, {"tool": "write", "workspace": one})

    assert (reply.status_code, reply.json()["code"]) == (500, "internal_error")
    assert "RuntimeError" in reply.json()["detail"]
    assert "/srv/secret" not in reply.text
