"""Rules are found, not listed."""

import pytest

from phasegate.core.rule import Rule
from phasegate.rules import checked, discover


def rule(label, order):
    return Rule(label, order, "", lambda *_: ())


def test_finds_the_built_in_rules_in_order():
    assert [found.label for found in discover()] == [
        "control-plane",
        "locked-write",
        "phase-order",
        "memory-read",
        "lock-order",
        "tdd-evidence",
        "documentation-phase",
        "opaque-write",
    ]


@pytest.mark.parametrize("rules", [[rule("a", 1), rule("a", 2)], [rule("a", 1), rule("b", 1)]])
def test_refuses_a_label_or_an_order_used_twice(rules):
    with pytest.raises(ValueError, match="two rules share"):
        checked(rules)


def test_every_rule_says_what_it_does():
    assert all(found.summary for found in discover())
