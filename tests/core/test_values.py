"""Values that cost little to make."""

from dataclasses import replace

import pytest

from phasegate.core.verdict import Blocker


def test_values_are_equal_and_hash_by_their_fields():
    assert Blocker("a", "DRAFT") == Blocker("a", "DRAFT") != Blocker("a", "MISSING")
    assert {Blocker("a", "DRAFT"): 1}[Blocker("a", "DRAFT")] == 1


def test_a_changed_copy_leaves_the_value_alone():
    one = Blocker("a", "DRAFT")

    assert replace(one, status="LOCKED") == Blocker("a", "LOCKED")
    assert one.status == "DRAFT"


def test_values_have_their_own_fields_alone():
    with pytest.raises(AttributeError):
        Blocker("a", "DRAFT").other = 1
