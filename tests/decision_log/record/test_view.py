"""A record shown: as the reply that was given, and complete for lists."""

from __future__ import annotations

from phasegate.core.call import Effect, WriteTarget
from phasegate.core.engine import decide
from phasegate.core.facts import TargetFacts
from phasegate.decision_log.record import (
    REPLY_KEYS,
    Entry,
    LifecycleEvent,
    decision_record,
    expanded,
    lifecycle_record,
    reply_of,
)
from support.facts import BUILTIN, ROOT, call, facts, in_run, lock, policy, run
from support.records import context, identifier, moment, product_write

ENTRY = Entry(41, "0" * 64, "1" * 64)


def logged(request, world, rules=BUILTIN):
    return decision_record(request, decide(request, world, rules), world, context()).logged(ENTRY)


def test_the_reply_has_the_documented_keys_in_their_order():
    reply = reply_of(product_write().logged(ENTRY), ROOT)

    assert tuple(reply) == REPLY_KEYS
    assert REPLY_KEYS == (
        "decision_id", "at", "kind", "verdict", "mode", "rule", "reason", "warning", "warnings", "remedy", "run_id",
        "active_artifact", "effect", "targets", "opaque", "opaque_reasons", "findings", "blockers", "transition",
        "ask", "policy", "record",
    )  # fmt: skip


def test_an_allowed_write_spells_out_what_is_absent():
    reply = reply_of(product_write().logged(ENTRY), ROOT)

    assert reply == {
        "decision_id": identifier(0),
        "at": moment(0),
        "kind": "allow",
        "verdict": "allow",
        "mode": "strict",
        "rule": "none",
        "reason": "",
        "warning": None,
        "warnings": [],
        "remedy": {"action": "none", "artifact": None, "text": "", "retryable": False, "waiting_on": []},
        "run_id": None,
        "active_artifact": None,
        "effect": "write",
        "targets": [
            {
                "path": f"{ROOT}/src/app.py",
                "rel": "src/app.py",
                "typed": "src/app.py",
                "op": "write",
                "recursive": False,
                "via": "args.file_path",
                "span": None,
            }
        ],
        "opaque": False,
        "opaque_reasons": [],
        "findings": [],
        "blockers": [],
        "transition": None,
        "ask": None,
        "policy": {"source": "builtin", "digest": "sha256:" + "a" * 64},
        "record": {"seq": 41, "hash": "1" * 64},
    }


def test_a_refused_lock_shows_blockers_transition_and_the_recovery_question():
    of = run("Ld")
    world = facts(effect=Effect.LOCK, locks=(lock("01-as-is.md", of, ""),))
    reply = reply_of(logged(call("recursive_lock"), world), ROOT)

    assert reply["blockers"] == [{"artifact": "00-worktree.md", "status": "DRAFT"}]
    assert reply["transition"]["passed"] is False
    assert [option["id"] for option in reply["ask"]["options"]] == ["fix", "reopen", "abandon"]
    assert reply["findings"][0]["reason"] == reply["reason"]


def test_a_warning_that_repeats_the_reason_is_shown_twice():
    world = facts(in_run("08-memory-impact.md", run("LLd")))
    reply = reply_of(logged(call(), world, policy(mode="advisory")), ROOT)

    assert reply["kind"] == "allow"
    assert reply["warning"] == reply["reason"] != ""


def test_paths_come_back_absolute_in_the_reply_and_stay_relative_in_lists():
    other = TargetFacts(WriteTarget("/x/b", "/x/b", "/x/b", "write"), 1, workspace="x", rel="b")
    here = TargetFacts(WriteTarget(ROOT, ROOT, ROOT, "delete", recursive=True), 0, workspace="w", rel="")
    outside = TargetFacts(WriteTarget("/etc/x", "/etc/x", "../etc/x", "write", span=(0, 3)), 2)
    world = facts(here, other, outside)
    record = decision_record(
        call(), decide(call(), world, BUILTIN), world, context(roots={"w": ROOT, "x": "/x"})
    )
    reply = reply_of(record.logged(ENTRY), ROOT, {"x": "/x"})
    listed = expanded(record.logged(ENTRY))

    assert [(t["path"], t["rel"], t["typed"]) for t in reply["targets"]] == [
        (ROOT, "", ROOT),
        ("/x/b", "b", "/x/b"),
        ("/etc/x", None, "../etc/x"),
    ]
    assert reply["targets"][2]["span"] == [0, 3]
    assert [(t["path"], t["rel"]) for t in listed["targets"]] == [(None, ""), (None, "b"), ("/etc/x", None)]


def test_a_record_that_is_in_no_log_says_so():
    assert reply_of(product_write().fields, ROOT)["record"] is None


def test_a_lifecycle_record_has_no_kind_and_no_rule():
    record = lifecycle_record(LifecycleEvent("lock", "lock x", run_id="r1"), context())
    shown = expanded(record.logged(ENTRY))

    assert shown["type"] == "lifecycle"
    assert (shown["kind"], shown["rule"], shown["tool"]) == (None, None, None)
    assert shown["action"] == "lock"


def test_a_damaged_entry_is_shown_as_far_as_it_goes():
    shown = expanded({"seq": 7, "damaged": "its body can't be read", "kind": "deny"})

    assert (shown["seq"], shown["kind"], shown["damaged"]) == (7, "deny", "its body can't be read")
    assert shown["targets"] == []


def test_the_reply_and_the_full_record_agree_on_what_both_show():
    """They are written out separately; neither may learn a field that the other forgets."""
    of = run("LLd")
    worlds = [
        facts(effect=Effect.LOCK, locks=(lock("08-memory-impact.md", of, ""),)),
        facts(in_run("02-to-be-plan.md", of)),
        facts(in_run("00-requirements.md", of), unreadable=("a file can't be read",)),
        facts(effect=Effect.OTHER),
    ]
    for world in worlds:
        record = logged(call("write", run_id="r1"), world)
        reply, full = reply_of(record, ROOT), expanded(record)

        for key in set(REPLY_KEYS) - {"targets", "record"}:
            assert reply[key] == full[key], key
