"""The policy's own list of tool patterns."""

from dataclasses import replace

import pytest

from phasegate.core.engine import decide
from phasegate.core.policy import by_precedence, pattern_entry
from support.facts import BUILTIN, call, facts, in_run, run


def entry(pattern, verdict, label=None, *, conditional=False):
    return pattern_entry(pattern, verdict, f"{pattern} says {verdict}", label, conditional=conditional)


def answer(tool, canonical, *entries, mode="strict"):
    policy = replace(BUILTIN, patterns=by_precedence(list(entries)), mode=mode)
    return decide(call(tool), facts(canonical=canonical), policy)


@pytest.mark.parametrize(
    ("tool", "canonical", "entries", "kind"),
    [
        ("Bash", "bash", (entry("*", "allow"), entry("bash", "deny")), "deny"),
        ("Bash", "bash", (entry("Bash", "allow"), entry("bash", "deny")), "deny"),
        ("Write", "write", (entry("*", "deny"), entry("write", "allow")), "allow"),
        ("mcp__fs__write", "write", (entry("mcp__fs__*", "deny"), entry("write", "allow")), "deny"),
        ("a", "a", (entry("a", "allow"), entry("a", "deny")), "allow"),
        ("a", "a", (entry("b", "allow"),), "deny"),
        ("a", "a", (entry("a", "ask"), entry("*", "allow")), "deny"),
    ],
)
def test_either_name_may_match_and_a_denial_wins(tool, canonical, entries, kind):
    assert answer(tool, canonical, *entries).kind == kind


def test_no_match_asks_and_names_the_tool():
    decision = answer("odd" * 60, "odd", entry("b", "allow"), mode="advisory")

    assert (decision.kind, decision.verdict, decision.rule) == ("allow", "ask", "none")
    assert "oddodd" in (decision.warning or "")
    assert decision.remedy.action == "declare_tool"


def test_a_free_label_becomes_the_rule_of_the_decision():
    decision = answer("deploy", "deploy", entry("deploy", "deny", "house-rule"))

    assert decision.rule == "house-rule"
    assert decision.reason == "deploy says deny"


def test_a_conditional_entry_decides_only_when_its_rule_objects():
    conditional = entry("write", "deny", "memory-read", conditional=True)
    policy = replace(BUILTIN, patterns=by_precedence([conditional, entry("*", "allow")]))
    stuck, free = run("dd"), run("dd", read=("00-worktree.md",))

    denied = decide(call(), facts(in_run("00-requirements.md", stuck)), policy)
    allowed = decide(call(), facts(in_run("00-requirements.md", free)), policy)

    assert [finding.rule for finding in denied.findings] == ["memory-read", "memory-read"]
    assert allowed.kind == "allow"


def test_a_conditional_entry_still_asks_a_rule_that_is_switched_off():
    """Switching the rule off everywhere leaves a person's explicit entry for one tool in force."""
    conditional = entry("write", "deny", "memory-read", conditional=True)
    policy = replace(
        BUILTIN,
        patterns=by_precedence([conditional, entry("*", "allow")]),
        rules_off={"memory-read": "trial"},
        modes={"memory-read": "advisory"},
    )
    decision = decide(call(), facts(in_run("00-requirements.md", run("dd"))), policy)

    assert [(finding.rule, finding.enforced) for finding in decision.findings] == [("memory-read", False)]
