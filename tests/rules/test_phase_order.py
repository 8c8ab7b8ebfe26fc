"""No artifact ahead of its phase."""

import pytest

from phasegate.core.verdict import Deny, Pass
from phasegate.rules.phase_order import RULE
from support.facts import BUILTIN, call, facts, in_run, run, target


def judge(item):
    return next(iter(RULE.judge(call(), facts(item), BUILTIN)), None)


def test_denies_a_later_phase_and_says_what_is_in_the_way():
    verdict = judge(in_run("02-to-be-plan.md", run("LLd")))
    assert isinstance(verdict, Deny)
    assert verdict.reason == (
        "`02-to-be-plan.md` is phase 2 but the active phase of run `r1` is `01-as-is.md` (phase 1), still a draft"
    )
    assert verdict.remedy.text == "lock `01-as-is.md` (`phasegate run lock r1 01-as-is.md`), then write again"
    assert verdict.remedy.waiting_on == ("01-as-is.md",)


@pytest.mark.parametrize(
    ("statuses", "name", "allowed"),
    [
        ("LLd", "01-as-is.md", True),
        ("LLd", "01.5-root-cause.md", True),
        ("LLd", "00-requirements.md", True),
        ("LL", "01-as-is.md", True),
        ("LL", "06-decisions-update.md", True),
        ("LL", "07-state-update.md", False),
        ("", "00-worktree.md", True),
        ("", "01-as-is.md", False),
        ("-LL", "01-as-is.md", False),
        ("LLsLL", "03-implementation-summary.md", False),
        ("L" * 12, "08-memory-impact.md", True),
    ],
)
def test_writing_goes_as_far_as_the_locks_allow(statuses, name, allowed):
    assert isinstance(judge(in_run(name, run(statuses))), Pass) is allowed


def test_a_missing_mandatory_phase_has_to_be_written_first():
    verdict = judge(in_run("01-as-is.md", run("-LL")))
    assert isinstance(verdict, Deny)
    assert "missing" in verdict.reason
    assert verdict.remedy.text.startswith("write `00-requirements.md` and lock it")


@pytest.mark.parametrize("op", ["delete", "move_from", "chmod"])
def test_removing_a_later_draft_is_no_writing(op):
    assert judge(in_run("08-memory-impact.md", run("d" * 12), op)) is None


def test_looks_only_at_artifacts_of_a_run():
    assert judge(in_run("notes.md", run("d"))) is None
    assert judge(target("docs/08-memory-impact.md")) is None
