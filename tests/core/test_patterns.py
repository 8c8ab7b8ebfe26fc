"""Tool patterns: grammar, tiers, matching."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.patterns import MAX_PATTERN, pattern_matches, pattern_tier, pattern_valid
from support.cases import load

GRAMMAR = [case for case in load("guard.json") if case["call"]["tool"] == "#pattern_valid"]
TIERS = [case for case in load("guard.json") if case["call"]["tool"] == "#pattern_tier"]
PATTERNS = st.text("ab_:*", min_size=1, max_size=12)


@pytest.mark.parametrize("case", GRAMMAR, ids=lambda case: case["id"])
def test_grammar_accepts_and_refuses_as_documented(case):
    assert pattern_valid(case["call"]["args"]["pattern"]) is case["expect"]["value"]


@pytest.mark.parametrize("case", TIERS, ids=lambda case: case["id"])
def test_tier_follows_the_place_of_the_star(case):
    assert pattern_tier(case["call"]["args"]["pattern"]) == case["expect"]["value"]


@pytest.mark.parametrize("value", [None, 7, [], "", "a" * (MAX_PATTERN + 1), "a\nb", "é"])
def test_refuses_what_is_no_pattern(value):
    assert not pattern_valid(value)


@given(PATTERNS, st.text("ab_:", max_size=14))
def test_matching_agrees_with_an_independent_model(pattern, tool):
    """The model is a translation to an anchored regular expression."""
    model = re.compile("".join(".*" if char == "*" else re.escape(char) for char in pattern), re.DOTALL)
    assert pattern_matches(pattern, tool) == bool(model.fullmatch(tool))


def test_overlapping_ends_are_not_counted_twice():
    assert not pattern_matches("ab*ba", "aba")


def test_many_stars_stay_linear():
    """A backtracking matcher would need longer than the age of the universe here."""
    assert not pattern_matches("*a" * 90 + "b", "a" * 5_000)
