"""The policy value."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.patterns import pattern_matches, pattern_tier
from phasegate.core.policy import MATCHES_REMEMBERED, broken_policy, by_precedence, pattern_entry
from support.facts import BUILTIN

PATTERNS = st.lists(st.text("ab*", min_size=1, max_size=4), min_size=1, max_size=8)


@given(PATTERNS, st.text("ab", max_size=4))
def test_the_first_match_is_of_the_highest_tier_and_the_earliest_there(patterns, tool):
    entries = [pattern_entry(p, "allow", str(i), None, conditional=False) for i, p in enumerate(patterns)]
    policy = replace(BUILTIN, patterns=by_precedence(entries))

    matching = [i for i, p in enumerate(patterns) if pattern_matches(p, tool)]
    expected = sorted(matching, key=lambda i: (-pattern_tier(patterns[i]), i))

    assert [int(entry.reason) for entry in policy.match(tool)] == expected


def test_a_broken_policy_keeps_the_rules_and_drops_what_the_file_said():
    policy = broken_policy(replace(BUILTIN, mode="advisory"), "not JSON", b"{")

    assert policy.source == "defect"
    assert policy.defect == "not JSON"
    assert policy.patterns == ()
    assert policy.rules == BUILTIN.rules


def test_remembered_matches_are_bounded_and_stay_right():
    policy = replace(
        BUILTIN, patterns=by_precedence([pattern_entry("t*", "deny", "x", None, conditional=False)])
    )

    for number in range(MATCHES_REMEMBERED + 5):
        assert policy.match(f"t{number}")

    assert policy.match("u") == ()
    assert len(policy._matches) <= MATCHES_REMEMBERED
