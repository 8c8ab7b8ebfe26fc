"""The record of a decision: complete, small, and free of what must not be kept."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasegate.core.call import ContentChange, Effect, OpaqueReason, WriteTarget
from phasegate.core.engine import decide
from phasegate.core.facts import OpaqueFacts, TargetFacts
from phasegate.decision_log.record import (
    LifecycleEvent,
    Origin,
    TamperEvent,
    decision_record,
    lifecycle_record,
    tamper_record,
)
from phasegate.decision_log.record.build import MAX_RECORD_BYTES
from support.facts import BUILTIN, ROOT, call, facts, in_run, lock, policy, run, target
from support.records import context, product_write


def recorded(request, world, **more):
    rules = more.pop("policy", BUILTIN)
    return decision_record(request, decide(request, world, rules), world, context(**more)).fields


def test_an_allowed_product_write_is_a_small_record():
    fields = product_write().fields

    assert fields["type"] == "decision"
    assert (fields["kind"], fields["verdict"], fields["mode"]) == ("allow", "allow", "strict")
    assert fields["targets"] == [{"rel": "src/app.py", "op": "write", "via": "args.file_path"}]
    assert fields["summary"] == "Write src/app.py"
    assert fields["args_digest"].startswith("sha256:")
    assert (fields["host"], fields["instance_id"], fields["latency_us"]) == (
        "devbox",
        "f1c2d3e4a5b60718",
        213,
    )
    assert len(orjson.dumps(fields)) < 800


def test_a_denial_records_rule_reason_remedy_and_the_facts_it_rests_on():
    of = run("LL--d", read=("00-requirements.md",))
    fields = recorded(call(run_id="r1"), facts(in_run("08-memory-impact.md", of)))

    assert (fields["kind"], fields["rule"]) == ("deny", "phase-order")
    assert fields["remedy"]["action"] == "lock"
    assert fields["findings"][0]["rule"] == "phase-order"
    assert "reason" not in fields["findings"][0], "the headline's reason stands once"
    assert fields["facts"]["runs"] == [
        {
            "run_id": "r1",
            "LOCKED": ["00-requirements.md", "00-worktree.md"],
            "DRAFT": ["02-to-be-plan.md"],
            "reads": [["00-requirements.md", "valid", 1]],
        }
    ]
    assert fields["session_run_id"] == "r1"


def test_a_lock_records_words_of_the_artifact_and_no_text():
    of = run("LLLLLd")
    text = (
        "TDD Mode: strict\nRED: evidence/logs/red.txt\n\n## Notes\nthe customer's name is Ada\nAudit: PASS\n"
    )
    world = facts(effect=Effect.LOCK, locks=(lock("03-implementation-summary.md", of, text),))
    fields = recorded(call("recursive_lock"), world)

    assert fields["facts"]["locks"][0]["text"] == [
        "TDD Mode: strict",
        "RED: evidence/logs/red.txt",
        "Audit: PASS",
    ]
    assert "Ada" not in orjson.dumps(fields).decode()
    assert fields["transition"]["passed"] is False


def test_a_forged_lock_is_recorded_by_its_lock_lines_alone():
    of = run("LLd")
    change = ContentChange("replace", "Status: LOCKED\nLockedAt: today\n\nconfidential text")
    fields = recorded(call(), facts(in_run("01-as-is.md", of, change=change)))

    assert fields["rule"] == "control-plane"
    assert fields["targets"][0]["lock_lines"] == {
        "before": [],
        "after": ["Status: LOCKED", "LockedAt: today"],
    }
    assert "confidential" not in str(fields)


def test_content_of_arguments_is_only_digested():
    secret = "confidential " * 10
    request = call(args={"file_path": "src/a.py", "content": secret})
    fields = recorded(request, facts(target("src/a.py", change=ContentChange("replace", secret))))

    assert "confidential" not in str(fields)


def test_no_absolute_path_of_a_workspace_is_recorded():
    outside = TargetFacts(WriteTarget("/etc/hosts", "/etc/hosts", "/etc/hosts", "write"), 1)
    inside = replace(
        target("src/a.py"),
        target=WriteTarget(f"{ROOT}/src/a.py", f"{ROOT}/link", f"{ROOT}/src/a.py", "write"),
    )
    other = TargetFacts(WriteTarget("/x/b", "/x/b", "/x/b", "write"), 2, workspace="x", rel="b")
    reason = OpaqueReason(f"python {ROOT}/gen.py", f"a program in `{ROOT}`", words=(f"{ROOT}/gen.py",))
    world = facts(
        inside, outside, other, opaque=(OpaqueFacts(reason),), unreadable=(f"`{ROOT}/x` is unreadable",)
    )
    world = replace(world, extraction=replace(world.extraction, opaque=(reason,), command=f"cd {ROOT} && x"))
    fields = recorded(call("Bash", cwd=f"{ROOT}/src", workspace=ROOT), world, roots={"w": ROOT, "x": "/x"})

    text = orjson.dumps(fields).decode()
    assert f"{ROOT}/" not in text
    assert '"/x' not in text
    assert fields["targets"][0] == {
        "rel": "src/a.py",
        "typed": "{root}",
        "op": "write",
        "lexical": "{root}/link",
    }
    assert fields["targets"][1] == {"path": "/etc/hosts", "op": "write"}
    assert fields["targets"][2]["workspace"] == "x"
    assert fields["summary"] == "Bash cd {root} && x"


def test_secrets_of_a_command_line_are_masked_and_the_places_listed():
    world = facts(effect=Effect.EXECUTE, canonical="bash")
    command = "curl -H 'Authorization: Bearer abc123def456' https://u:hunter2@h/x"
    world = replace(world, extraction=replace(world.extraction, command=command))
    fields = recorded(call("Bash", args={"command": command}), world)

    assert "hunter2" not in str(fields)
    assert "abc123def456" not in str(fields)
    assert fields["masked"] == ["/summary"]


def test_a_call_without_facts_is_recorded_with_its_paths_made_relative():
    request = call(args={"file_path": "x"}, defect="`args` is not an object")
    world = facts(target("src/a.py"))
    fields = decision_record(request, decide(request, world, BUILTIN), None, context()).fields

    assert fields["targets"][0]["rel"] == "src/a.py"
    assert "facts" not in fields


def test_switched_off_rules_are_named():
    off = policy(rules_off={"phase-order": "we know better"})
    fields = recorded(call(), facts(target("a")), policy=off, rules_off=("phase-order",))

    assert fields["rules_off"] == ["phase-order"]
    assert "we know better" in fields["warnings"][0]


def test_an_advisory_warning_that_repeats_the_reason_stands_once():
    of = run("LLd")
    fields = recorded(call(), facts(in_run("08-memory-impact.md", of)), policy=policy(mode="advisory"))

    assert (fields["kind"], fields["verdict"]) == ("allow", "deny")
    assert fields["warned"] is True
    assert "warning" not in fields


def test_a_huge_call_leaves_a_bounded_record_that_says_what_was_cut():
    many = tuple(target(f"src/{'d' * 200}/{n}.py", index=n) for n in range(5000))
    fields = recorded(call(), facts(*many))

    assert len(fields["targets"]) <= 100
    assert fields["cut"]["targets"] == 5000
    assert len(orjson.dumps(fields)) <= MAX_RECORD_BYTES


def test_texts_that_swell_in_json_are_cut_down_too():
    """A control character takes six bytes in JSON."""
    names = tuple("\x01" * 500 for _ in range(9))
    many = tuple(target("\x01" * 900 + str(n), index=n, covers_sealed=names) for n in range(100))
    fields = recorded(call("\x01" * 500), facts(*many))

    assert len(orjson.dumps(fields)) <= MAX_RECORD_BYTES
    assert fields["cut"]["bytes"] > MAX_RECORD_BYTES
    assert "facts" not in fields


TEXT = st.text(st.characters(), max_size=60)
ARGS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150)
@given(TEXT, st.dictionaries(TEXT, ARGS, max_size=4), TEXT, TEXT, st.lists(TEXT, max_size=3))
def test_never_raises_and_is_always_json(tool, args, name, session, opaque):
    """A call that can't be recorded could not be answered."""
    reasons = tuple(OpaqueReason(part, part) for part in opaque)
    world = facts(target(name), opaque=tuple(OpaqueFacts(reason) for reason in reasons), unusable=(name,))
    world = replace(world, extraction=replace(world.extraction, opaque=reasons))
    fields = recorded(call(tool, args=args, session_id=session, call_id=name), world)

    assert orjson.loads(orjson.dumps(fields)) == fields


@pytest.mark.parametrize(
    "args", [{"n": 2**80}, {"s": "\udc80"}, {"f": float("nan")}, {1: "x"}, {"o": object()}]
)
def test_odd_arguments_are_digested_or_left_out(args):
    request = call(args=args)
    fields = recorded(request, facts(target("a")))

    assert fields.get("args_digest", "sha256:").startswith("sha256:")


def test_equal_arguments_have_equal_digests_whatever_their_order():
    world = facts(target("a"))
    one = recorded(call(args={"a": 1, "b": {"c": 2, "d": 3}}), world)
    two = recorded(call(args={"b": {"d": 3, "c": 2}, "a": 1}), world)

    assert one["args_digest"] == two["args_digest"]


def test_an_act_of_the_guard_leaves_a_lifecycle_record():
    event = LifecycleEvent(
        "reopen",
        f"reopen `02-to-be-plan.md` in {ROOT}/x because password=hunter2",
        run_id="r1",
        artifact="02-to-be-plan.md",
        origin=Origin(runtime="codex", session_id="s"),
        details={"reason": "wrong scope", "downstream": 3, "odd": ["a"]},
    )
    fields = lifecycle_record(event, context()).fields

    assert fields["type"] == "lifecycle"
    assert "kind" not in fields
    assert fields["action"] == "reopen"
    assert fields["summary"] == "reopen `02-to-be-plan.md` in {root}/x because password=[masked value]"
    assert fields["details"] == {"reason": "wrong scope", "downstream": 3, "odd": "['a']"}
    assert (fields["runtime"], fields["run_id"]) == ("codex", "r1")


def test_tampering_leaves_a_record_that_a_target_filter_finds():
    event = TamperEvent("deleted", ".recursive/run/r1/01-as-is.md", "a locked artifact is gone", run_id="r1")
    fields = tamper_record(event, context()).fields

    assert fields["type"] == "tamper"
    assert fields["targets"] == [{"rel": ".recursive/run/r1/01-as-is.md"}]
    assert fields["reason"] == "a locked artifact is gone"
