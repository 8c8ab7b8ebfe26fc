"""The record and the reply of a decision that is given again are those that would be built anew."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.engine import decide
from phasegate.decision_log.record import (
    OWN_FIELDS,
    Entry,
    decision_record,
    record_again,
    reply_bytes,
    reply_of,
    root_marks,
    stem_of,
)
from support.facts import BUILTIN, ROOT, call, facts, in_run, run, target
from support.records import context

ENTRY = Entry(7, "0" * 64, "a" * 64)
RUN = run("LL--d", read=("00-requirements.md",))


def built(request, *worlds, number=0):
    world = worlds[0] if worlds else facts(in_run("08-memory-impact.md", RUN))
    around = context(number)
    return decision_record(request, decide(request, world, BUILTIN), world, around), around


def request(**more):
    fields = {"runtime": "codex", "session_id": "s", "call_id": "call-1", "run_id": "r1", **more}
    return call("Write", args=fields.pop("args", {"file_path": "x", "content": "one"}), **fields)


@given(
    st.sampled_from(
        ["call-2", "toolu_01ABC", "", None, "x" * 600, "sk-ant-api03-" + "a" * 40, f"{ROOT}/x", "a\0b"]
    ),
    st.sampled_from([{"file_path": "x", "content": "two"}, {"file_path": "x", "content": "\ud800"}]),
)
def test_a_record_made_again_is_the_one_made_anew(call_id, args):
    first, around = built(request())
    stem = stem_of(first, request(), root_marks(around))
    again = request(call_id=call_id, args=args)
    anew, around = built(again, number=3)

    record = record_again(stem, again, around.id, around.at, around.latency_us)

    if record is not None:
        assert record.fields == anew.fields
        assert record.stem is stem
    else:
        assert anew.fields["call_id"] != call_id


def test_only_plain_call_ids_are_taken_as_they_are():
    first, around = built(request())
    stem = stem_of(first, request(), root_marks(around))

    for odd in ("sk-ant-api03-" + "a" * 40, f"{ROOT}/x", "a\0b", "x" * 600):
        assert record_again(stem, request(call_id=odd), "id", "at", 1) is None
    assert record_again(stem, request(call_id="call-9"), "id", "at", 1) is not None


def test_a_stem_holds_no_field_of_its_own_call():
    first, around = built(request())

    stem = stem_of(first, request(), root_marks(around))

    assert not set(OWN_FIELDS) & set(stem.fields)
    assert {**stem.fields, **{name: first.fields[name] for name in OWN_FIELDS}} == first.fields


@pytest.mark.parametrize("session", ["AKIAIOSFODNN7EXAMPLE", "ghp_" + "a" * 36])
def test_a_record_with_a_masked_text_has_no_stem(session):
    masked, around = built(request(session_id=session))

    assert "masked" in masked.fields
    assert stem_of(masked, request(session_id=session), root_marks(around)) is None


@pytest.mark.parametrize("rel", ["08-memory-impact.md", "00-requirements.md"])
def test_a_reply_made_of_its_shared_part_is_the_documented_one(rel):
    world = facts(in_run(rel, RUN), target("src/app.py"))
    first, around = built(request(), world)
    stem = stem_of(first, request(), root_marks(around))
    others = {"other": "/srv/other"}
    roots = {**others, "w": ROOT}
    for number in (1, 2):
        record = record_again(stem, request(call_id=f"c{number}"), f"id-{number}", around.at, number)
        entry = replace(ENTRY, seq=number, hash=str(number) * 64)
        expected = reply_of(record.logged(entry), ROOT, others)

        assert reply_bytes(record, entry, roots) == orjson.dumps(expected)


def test_a_record_without_a_stem_is_answered_the_same_way():
    record, _ = built(request())

    assert reply_bytes(record, ENTRY, {"w": ROOT}) == orjson.dumps(reply_of(record.logged(ENTRY), ROOT, {}))
