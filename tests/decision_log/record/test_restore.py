"""A record holds enough to decide again, with the same answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasegate.core.call import ContentChange, Effect, EnterRequest, OpaqueReason
from phasegate.core.engine import decide
from phasegate.core.facts import EnterFacts, OpaqueFacts, ReadReceiptFacts
from phasegate.decision_log.record import Entry, decision_record, reply_of, restored
from support.facts import BUILTIN, ROOT, WORKFLOW, call, facts, in_run, lock, policy, run, target
from support.records import context, product_write

ENTRY = Entry(1, "0" * 64, "1" * 64)


def answers(request, world, rules=BUILTIN, **more):
    """The reply of a decision and of the decision made again from its record."""
    first = decision_record(request, decide(request, world, rules), world, context(**more)).logged(ENTRY)
    again = restored(first, "/again", WORKFLOW)
    assert again is not None
    places = {"w": "/again"}
    second = decision_record(
        again.call, decide(again.call, again.facts, rules), again.facts, context(**{**more, "roots": places})
    ).logged(ENTRY)
    return reply_of(first, ROOT), reply_of(second, ROOT)


STATUSES = st.text("Ldsn-", min_size=12, max_size=12)
RUNS = st.builds(run, STATUSES, read=st.sampled_from([(), ("00-requirements.md",)]))
NAMES = st.sampled_from(WORKFLOW.artifacts)
LINES = st.lists(
    st.sampled_from(
        [
            "Status: LOCKED",
            "Status: DRAFT",
            "- Status: `LOCKED`",
            "LockedAt: x",
            "LockHash: " + "f" * 64,
            "text",
            "## A",
        ]
    ),
    max_size=5,
).map("\n".join)
CHANGES = st.one_of(
    st.none(),
    LINES.map(lambda text: ContentChange("replace", text)),
    LINES.map(lambda text: ContentChange("append", "\n" + text)),
    st.tuples(LINES, LINES).map(lambda pair: ContentChange("edit", edits=((pair[0], pair[1], True),))),
    LINES.map(lambda text: ContentChange("unknown", text)),
)
OPS = st.sampled_from(["write", "append", "truncate", "delete", "move_from", "move_to", "chmod"])


@settings(max_examples=200, deadline=None)
@given(RUNS, NAMES, CHANGES, st.one_of(st.none(), LINES), OPS, st.booleans())
def test_writes_into_a_run_are_decided_alike(of, name, change, text, op, bound):
    world = facts(in_run(name, of, op, change=change, text=text), bound=of if bound else None)
    first, second = answers(call(run_id="r1" if bound else None), world)

    assert second == first


@settings(max_examples=100, deadline=None)
@given(STATUSES, NAMES, st.booleans(), st.sampled_from(["", "it names no directory"]))
def test_locks_are_decided_alike(statuses, name, reopen, problem):
    text = (
        "Status: DRAFT\nTDD Mode: `strict`\n- RED: `evidence/a.txt`, b.txt\nGREEN evidence: c.txt\nAudit: PASS\n"
        "Requirement Completion Status\nQA Execution Mode: human\nTester sign-off: Ada\nno rationale\n"
    )
    of = run(statuses)
    locked = lock(name, of, text, reopen=reopen, run_problem=problem, evidence={"evidence/a.txt": True})
    first, second = answers(call("recursive_lock"), facts(effect=Effect.LOCK, locks=(locked,)))

    assert second == first


@pytest.mark.parametrize(
    "world",
    [
        facts(target("src/a.py")),
        facts(target("src/a.py"), bound=run("LLLLLLLLLLd")),
        facts(effect=Effect.WRITE, bound=run("LLLLLLLLLLd")),
        facts(target(".recursive/config/recursive-permissions.json")),
        facts(target("a"), guard_paths=((f"{ROOT}/a", "the service's data"),)),
        facts(target(".claude/settings.json", carries_hook=True, text="phasegate phasegate",
                     change=ContentChange("edit", edits=(("phasegate", "x", False),)))),
        facts(target(".claude/settings.json", carries_hook=True, text="phasegate",
                     change=ContentChange("append", "x"))),
        facts(target(".claude/settings.json", carries_hook=True)),
        facts(target(".recursive", op="delete", recursive=True, covers_sealed=tuple(f"a{n}" for n in range(30)))),
        facts(target(".recursive", op="delete", recursive=True, covers_guarded=("x/locks/a",))),
        facts(effect=Effect.EXECUTE, opaque=(OpaqueFacts(OpaqueReason("python x", "a program", "write it plainly"),
                                                         words=(".recursive/run",)),)),
        facts(effect=Effect.EXECUTE, opaque=(OpaqueFacts(OpaqueReason("git clean -x", "a program"),
                                                         destroys=(".recursive",), destroys_sealed=("a",)),)),
        facts(effect=Effect.WRITE, unusable=("path",)),
        facts(target("a"), unreadable=("`x` is unreadable",)),
        facts(target("a"), run_id_problem="`run_id` is malformed"),
        facts(effect=Effect.ENTER, enters=(EnterFacts(EnterRequest("01-as-is.md", "r1"), run("L")),)),
        facts(target("a"), known=False, canonical="my_tool"),
        facts(target(None)),
        facts(in_run("00-requirements.md", run("d", read_receipts_defect="not JSON"))),
        facts(in_run("00-requirements.md", run("d", read_receipts={
            "00-worktree.md": ReadReceiptFacts("00-worktree.md", "stale", 2)}))),
        facts(in_run("addenda/x.md", run("L"), change=ContentChange("replace", "Status: LOCKED"))),
        facts(in_run("a.md", run("L"), lexical=f"{ROOT}/.recursive/run/r1/locks/x")),
        facts(in_run("01-as-is.md", run("L", exists=False))),
    ],
    ids=range(23),
)  # fmt: skip
@pytest.mark.parametrize("mode", ["strict", "advisory"])
def test_every_kind_of_fact_comes_back(world, mode):
    extraction = replace(
        world.extraction,
        opaque=tuple(part.reason for part in world.opaque),
        enters=tuple(enter.request for enter in world.enters),
    )
    first, second = answers(
        call("Edit", run_id="r1"), replace(world, extraction=extraction), policy(mode=mode)
    )

    assert second == first


def test_a_malformed_call_is_denied_again():
    first, second = answers(call("", defect="the tool id is blank"), facts(target("a")))

    assert first["reason"] == "the tool id is blank"
    assert second == first


def test_a_tightening_call_is_judged_in_its_mode_again():
    world = facts(in_run("08-memory-impact.md", run("LLd")))
    first, second = answers(call(mode="strict"), world, policy(mode="advisory"))

    assert first["kind"] == "deny"
    assert second == first


def test_a_record_without_facts_can_not_be_decided_again():
    fields = dict(product_write().fields)
    del fields["facts"]

    assert restored(fields, ROOT, WORKFLOW) is None
    assert restored({**product_write().fields, "type": "lifecycle"}, ROOT, WORKFLOW) is None
