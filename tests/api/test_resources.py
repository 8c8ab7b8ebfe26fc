"""Everything but the decision route: batch, explain, targets, policy, the log, health, metrics."""

from __future__ import annotations

import asyncio

import pytest

from phasegate.api.reply_models import BatchReply, Explanation, RecordPage, TargetsReply, Verification
from phasegate.decision_log.query import FILTERS
from support import inprocess

LOCKED = ".recursive/run/r1/00-requirements.md"


class TestBatch:
    def test_decides_in_order_and_records_each(self, guard, one):
        calls = [
            {"tool": "write", "args": {"file_path": path}, "workspace": one, "call_id": f"b-{number}"}
            for number, path in enumerate([LOCKED, "src/a.py", LOCKED])
        ]

        reply = guard.post("/v1/decisions/batch", {"calls": calls}).json()

        BatchReply.model_validate(reply)
        assert [item["kind"] for item in reply["decisions"]] == ["deny", "allow", "deny"]
        numbers = [item["record"]["seq"] for item in reply["decisions"]]
        assert numbers == list(range(numbers[0], numbers[0] + 3))

    def test_of_more_than_a_hundred_is_refused(self, guard, one):
        calls = [{"tool": "read", "workspace": one}] * 101

        reply = guard.post("/v1/decisions/batch", {"calls": calls})

        assert reply.status_code == 422
        assert reply.json()["errors"][0]["field"] == "calls"

    def test_of_a_hundred_and_of_none_is_answered(self, guard, one):
        calls = [{"tool": "read", "workspace": one}] * 100

        assert len(guard.post("/v1/decisions/batch", {"calls": calls}).json()["decisions"]) == 100
        assert guard.post("/v1/decisions/batch", {"calls": []}).json() == {"decisions": []}

    def test_with_one_bad_call_records_none(self, guard, one, tmp_path):
        """Half a batch that nobody was told about would be decisions that never reached an agent."""
        before = guard.get("/v1/decisions/verify").json()["checked"]
        good = {"tool": "read", "workspace": one}

        for bad in ({"tool": 1}, {"tool": "read", "workspace": str(tmp_path)}):
            assert guard.post("/v1/decisions/batch", {"calls": [good, bad]}).status_code in (403, 422)

        assert guard.get("/v1/decisions/verify").json()["checked"] == before

    def test_names_the_call_and_the_field_of_a_defect(self, guard):
        reply = guard.post("/v1/decisions/batch", {"calls": [{"tool": "read"}, {"tool": "x", "mode": "off"}]})

        assert reply.json()["errors"][0]["field"] == "calls.1.mode"


class TestExplain:
    def test_is_the_decision_with_every_rules_part_and_no_record(self, guard, one):
        before = guard.get("/v1/decisions/verify").json()["checked"]
        call = {"tool": "write", "args": {"file_path": LOCKED}, "workspace": one}

        reply = guard.post("/v1/explain", call).json()

        Explanation.model_validate(reply)
        assert reply["kind"] == "deny"
        steps = {step["rule"]: step["outcome"] for step in reply["trace"]}
        assert steps["locked-write"] == "deny"
        assert len(steps) >= 8
        assert guard.get("/v1/decisions/verify").json()["checked"] == before


class TestTargets:
    def test_shows_what_a_command_would_change(self, guard, one):
        call = {"tool": "bash", "args": {"command": f"echo x > {LOCKED}; rm a.txt"}, "workspace": one}

        reply = guard.post("/v1/targets", call).json()

        TargetsReply.model_validate(reply)
        assert [(item["op"], item["rel"]) for item in reply["targets"]] == [
            ("write", LOCKED),
            ("delete", "a.txt"),
        ]
        assert (reply["known"], reply["workspace"]) == (True, "one")

    def test_shows_what_it_does_not_understand(self, guard, one):
        call = {"tool": "bash", "args": {"command": "some-tool --fast"}, "workspace": one}

        reply = guard.post("/v1/targets", call).json()

        assert reply["opaque"]
        assert reply["opaque_reasons"][0]["part"]


class TestPolicy:
    def test_of_a_workspace_without_a_file_is_the_built_in_one(self, guard):
        reply = guard.get("/v1/policy", workspace="one").json()

        assert (reply["source"], reply["mode"], reply["defect"]) == ("builtin", "strict", None)
        assert [rule["label"] for rule in reply["rules"]][:3] == [
            "control-plane",
            "locked-write",
            "phase-order",
        ]
        assert reply["digest"].startswith("sha256:")

    def test_needs_the_name_when_several_are_served(self, guard):
        assert guard.get("/v1/policy").json()["code"] == "workspace_required"
        assert guard.get("/v1/policy", workspace="three").json()["code"] == "workspace_not_served"


class TestLog:
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def some_decisions(cls, guard, one):
        for number in range(7):
            guard.decide(
                "write",
                {"file_path": f"src/f{number}.py"},
                workspace=one,
                session_id="s-log",
                call_id=f"c{number}",
            )
        guard.decide("write", {"file_path": LOCKED}, workspace=one, session_id="s-log", run_id="r1")

    def test_shows_the_newest_first(self, guard):
        page = guard.get("/v1/decisions", session_id="s-log").json()

        RecordPage.model_validate(page)
        numbers = [item["seq"] for item in page["items"]]
        assert numbers == sorted(numbers, reverse=True)
        assert page["next_cursor"] is None

    @pytest.mark.parametrize(
        ("filters", "count"),
        [
            ({"kind": "deny"}, 1),
            ({"kind": "allow"}, 7),
            ({"rule": "locked-write"}, 1),
            ({"verdict": "deny"}, 1),
            ({"mode": "strict"}, 8),
            ({"mode": "advisory"}, 0),
            ({"workspace": "one"}, 8),
            ({"workspace": "two"}, 0),
            ({"call_id": "c3"}, 1),
            ({"target": "src/"}, 7),
            ({"target": ".recursive/run/r1/"}, 1),
            ({"tool": "write"}, 8),
            ({"tool": "edit"}, 0),
            ({"run_id": "r1"}, 1),
            ({"q": "F4.PY"}, 1),
            ({"since": "2020-01-01"}, 8),
            ({"until": "2020-01-01"}, 0),
            ({"type": "lifecycle"}, 0),
            ({"runtime": "codex"}, 0),
            ({"agent_id": "a"}, 0),
        ],
    )
    def test_filters(self, guard, filters, count):
        page = guard.get("/v1/decisions", session_id="s-log", **filters).json()

        assert len(page["items"]) == count

    def test_the_cursor_is_stable_while_records_are_added(self, guard, one):
        """A reader that pages through a busy log sees every record once."""
        seen = []
        cursor = {}
        while True:
            page = guard.get("/v1/decisions", session_id="s-log", limit=3, **cursor).json()
            seen += [item["seq"] for item in page["items"]]
            guard.decide("write", {"file_path": "src/new.py"}, workspace=one, session_id="s-log")
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}

        assert len(seen) == len(set(seen)) >= 8
        assert seen == sorted(seen, reverse=True)

    @pytest.mark.parametrize(
        "params",
        [
            {"label": "x"},
            {"runId": "r1"},
            {"limit": "501"},
            {"limit": "0"},
            {"limit": "many"},
            {"cursor": "nonsense"},
            {"since": "yesterday"},
            {"kind": "maybe"},
            {"type": "other"},
            {"q": "x" * 2000},
        ],
    )
    def test_what_is_no_filter_is_422_and_named(self, guard, params):
        reply = guard.get("/v1/decisions", **params)

        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")
        assert reply.json()["errors"][0]["field"] == next(iter(params))
        assert reply.json()["errors"][0]["remedy"]

    def test_a_filter_given_twice_is_422(self, guard):
        reply = guard.request("GET", "/v1/decisions?kind=deny&kind=allow")

        assert reply.status_code == 422
        assert reply.json()["errors"][0]["field"] == "kind"

    def test_every_filter_is_declared(self, guard):
        operation = guard.get("/openapi.json").json()["paths"]["/v1/decisions"]["get"]

        assert {item["name"] for item in operation["parameters"]} == FILTERS

    def test_an_unknown_id_is_404(self, guard):
        reply = guard.get("/v1/decisions/0193-nothing")

        assert (reply.status_code, reply.json()["code"]) == (404, "decision_not_found")

    def test_the_chain_verifies(self, guard):
        report = guard.get("/v1/decisions/verify").json()

        Verification.model_validate(report)
        assert report["ok"]
        assert report["checked"] == report["last_seq"]


class TestHealth:
    def test_alive(self, guard):
        reply = guard.get("/healthz")

        assert reply.json() == {"status": "ok"}
        assert reply.headers["phasegate-version"]

    def test_ready(self, guard):
        reply = guard.get("/readyz")

        assert reply.status_code == 200
        assert [space["name"] for space in reply.json()["workspaces"]] == ["one", "two"]

    def test_not_ready_says_which_policy_is_broken(self, tmp_path):
        root = tmp_path / "repo"
        inprocess.make_run(root)
        policy = root / ".recursive" / "config" / "recursive-permissions.json"
        policy.parent.mkdir(parents=True)
        with inprocess.guard({"repo": root}, tmp_path) as guard:
            assert guard.get("/readyz").status_code == 200

            policy.write_text('{"rules": []}')
            reply = guard.get("/readyz")

            assert reply.status_code == 503
            assert "empty" in reply.json()["workspaces"][0]["problem"]
            decision = guard.decide("read", {"file_path": "a"})
            assert (decision["kind"], decision["policy"]["source"]) == ("deny", "defect")

            policy.unlink()
            assert guard.get("/readyz").status_code == 200
            assert guard.decide("read", {"file_path": "a"})["kind"] == "allow"

    def test_a_workspace_found_below_a_root_is_looked_at_too(self, tmp_path):
        projects = tmp_path / "projects"
        inprocess.make_run(projects / "fine")
        inprocess.make_run(projects / "broken")
        policy = projects / "broken" / ".recursive" / "config" / "recursive-permissions.json"
        policy.parent.mkdir(parents=True)
        policy.write_text("{")
        with inprocess.guard({}, tmp_path, workspace_root=str(projects)) as guard:
            reply = guard.get("/readyz")

        assert reply.status_code == 503
        problems = {space["name"]: space["problem"] for space in reply.json()["workspaces"]}
        assert problems["fine"] is None
        assert "not JSON" in problems["broken"]


def test_metrics_count_decisions(guard, one):
    guard.decide("write", {"file_path": LOCKED}, workspace=one)

    text = guard.get("/metrics").text

    assert 'phasegate_decisions_total{kind="deny",mode="strict",rule="locked-write"}' in text
    assert "phasegate_decisions_unrecorded_total 0.0" in text
    assert 'phasegate_decision_seconds_bucket{le="+Inf"}' in text


def test_a_token_guards_everything_but_the_probes(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    (tmp_path / "token").write_text("s3cret")
    with inprocess.guard({"repo": root}, tmp_path, token_file=str(tmp_path / "token")) as guard:
        for path in ("/v1/policy", "/metrics", "/openapi.json", "/v1/decisions", "/docs"):
            assert guard.get(path).json()["code"] == "token_required", path
        assert guard.post("/v1/decisions", {"tool": "read"}).status_code == 401
        assert guard.get("/healthz").status_code == guard.get("/readyz").status_code == 200
        allowed = guard.request("GET", "/v1/policy", headers={"Authorization": "Bearer s3cret"})
        assert allowed.status_code == 200


def test_too_many_requests_at_once_are_503(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    with inprocess.guard({"repo": root}, tmp_path, max_concurrency=1) as guard:
        replies = guard.run(_together(guard, 2))

    problem = next(reply for reply in replies if reply.status_code == 503)
    assert problem.json()["code"] == "overloaded"
    assert problem.headers["retry-after"] == "1"
    assert [reply.status_code for reply in replies].count(200) == 1


async def _together(guard, count):
    requests = [guard._request("POST", "/v1/decisions", json={"tool": "read"}) for _ in range(count)]
    return await asyncio.gather(*requests)
