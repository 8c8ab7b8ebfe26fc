"""Strict TDD shows RED and GREEN."""

import pytest

from phasegate.core.call import Effect
from phasegate.core.verdict import Deny, Pass
from phasegate.rules.tdd_evidence import RULE
from support.facts import BUILTIN, call, facts, lock, run

NAME = "03-implementation-summary.md"


def judge(text, name=NAME, **more):
    item = lock(name, run("LLLLLd"), text, **more)
    return next(iter(RULE.judge(call(), facts(effect=Effect.LOCK, locks=(item,)), BUILTIN)))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("TDD Mode: strict\n", "RED, GREEN"),
        ("TDD Mode: Strict\nRED: a\n", "GREEN"),
        ("TDD Mode: strict\nNo tests were required; evergreen code.\n", "RED, GREEN"),
    ],
)
def test_denies_a_strict_summary_without_labelled_evidence(text, missing):
    verdict = judge(text)
    assert isinstance(verdict, Deny)
    assert verdict.reason.endswith(f"missing: {missing}")
    assert "phase 3" in verdict.reason


@pytest.mark.parametrize(
    "text",
    [
        "TDD Mode: strict\nRED: a\nGREEN: b\n",
        "TDD Mode: pragmatic\n",
        "x",
        "TDD Mode: a" + " " * 40_000 + "b\n",
    ],
)
def test_passes_otherwise(text):
    assert judge(text) == Pass()


@pytest.mark.parametrize(
    ("text", "more"),
    [(None, {}), ("TDD Mode: strict", {"reopen": True}), ("TDD Mode: strict", {"name": "01-as-is.md"})],
)
def test_abstains_on_an_absent_summary_a_reopen_or_another_artifact(text, more):
    assert judge(text, **more) == Pass(applied=False)
