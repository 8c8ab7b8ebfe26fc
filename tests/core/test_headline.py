"""From findings to the answer."""

from phasegate.core.headline import About, headline
from phasegate.core.verdict import Blocker, Finding, TransitionReport
from support.facts import facts


def test_blockers_without_a_lock_raise_no_question():
    finding = Finding("x", "deny", "no", enforced=True, blockers=(Blocker("a", "DRAFT"),))

    assert headline("strict", facts(), (finding,), About()).ask is None


def test_a_passed_transition_leaves_the_label_alone():
    assert headline("strict", facts(), (), About(TransitionReport(passed=True))).rule == "none"


def test_a_finding_keeps_its_label_over_a_failed_transition():
    finding = Finding("x", "deny", "no", enforced=False)

    decision = headline(
        "advisory", facts(), (finding,), About(TransitionReport(passed=False, failures=("y",)))
    )

    assert (decision.rule, decision.warning) == ("x", "no")
