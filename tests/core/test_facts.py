"""What a call needs to have read."""

from dataclasses import replace

import pytest

from phasegate.core.call import (
    ContentChange,
    Effect,
    EnterRequest,
    Extraction,
    LockRequest,
    OpaqueReason,
    WriteTarget,
)
from phasegate.core.facts import FactsNeeded, Place, facts_needed
from support.facts import BUILTIN, call

PRODUCT = Place("w", "src/a.py")
REQUIREMENTS = Place(
    "w", ".recursive/run/r1/00-requirements.md", "r1", "00-requirements.md", "00-requirements.md"
)
PLAN = Place("w", ".recursive/run/r1/02-to-be-plan.md", "r1", "02-to-be-plan.md", "02-to-be-plan.md")


def needed(*places, effect=Effect.WRITE, run_id=None, policy=BUILTIN, change=None, recursive=False, **more):
    target = WriteTarget("/w/x", "/w/x", "x", "write", recursive=recursive, change=change)
    extraction = Extraction(effect, "write", known=True, targets=(target,) * len(places), **more)
    return facts_needed(call(run_id=run_id), extraction, places, policy)


def test_an_unbound_product_write_needs_nothing():
    assert needed(PRODUCT) == FactsNeeded()


def test_a_read_needs_nothing_even_when_bound():
    assert needed(effect=Effect.READ, run_id="r1") == FactsNeeded()


@pytest.mark.parametrize(
    ("places", "effect", "bound"),
    [
        ((PRODUCT,), Effect.WRITE, True),
        ((), Effect.WRITE, True),
        ((), Effect.EXECUTE, False),
        ((Place(),), Effect.EXECUTE, False),
        ((PRODUCT,), Effect.EXECUTE, True),
    ],
)
def test_the_bound_run_is_read_only_when_a_rule_may_look(places, effect, bound):
    assert needed(*places, effect=effect, run_id="r1").bound is bound


def test_read_receipts_are_needed_only_for_gated_artifacts():
    assert needed(REQUIREMENTS, PLAN).receipts == {0}
    assert needed(REQUIREMENTS, PLAN, policy=replace(BUILTIN, entry_every_phase=True)).receipts == {0, 1}
    assert needed(REQUIREMENTS, PLAN).artifacts == {0, 1}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (None, False),
        (ContentChange("replace", "Status: DRAFT\n"), False),
        (ContentChange("replace", "Status: LOCKED\n"), True),
        (ContentChange("append", "x"), True),
        (ContentChange("edit", edits=(("a", "b", False),)), True),
        (ContentChange("unknown", "sed -i s/a/b/"), False),
        (ContentChange("unknown", "sed -i s/DRAFT/LOCKED/"), True),
    ],
)
def test_present_text_is_read_only_when_the_header_may_change(change, text):
    assert bool(needed(PLAN, change=change).texts) is text


def test_recursive_targets_and_opaque_parts_are_looked_below():
    found = needed(PRODUCT, recursive=True, opaque=(OpaqueReason("make", "a program"),))
    assert found.below == {0}
    assert found.opaque


@pytest.mark.parametrize("request_", [{"locks": (LockRequest("x"),)}, {"enters": (EnterRequest(),)}])
def test_lock_and_entry_calls_need_a_run(request_):
    unbound = needed(effect=Effect.LOCK, **request_)
    bound = needed(effect=Effect.LOCK, run_id="r1", **request_)
    assert (unbound.newest, unbound.bound, unbound.locks) == (True, False, True)
    assert (bound.newest, bound.bound) == (False, True)
