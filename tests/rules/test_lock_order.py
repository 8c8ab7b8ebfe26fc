"""Locks go in order."""

import pytest

from phasegate.core.call import Effect
from phasegate.core.verdict import Deny, Pass
from phasegate.rules.lock_order import RULE
from support.facts import BUILTIN, call, facts, lock, run


def judge(item):
    return next(iter(RULE.judge(call(), facts(effect=Effect.LOCK, locks=(item,)), BUILTIN)))


def test_denies_and_lists_every_blocker_with_its_status():
    verdict = judge(lock("02-to-be-plan.md", run("Ldn")))
    assert isinstance(verdict, Deny)
    assert verdict.reason == (
        "`02-to-be-plan.md` can't be locked before `00-worktree.md` (DRAFT), "
        "`01-as-is.md` (STALE_LOCK, its lock receipt is missing) (run: `r1`)"
    )
    assert verdict.remedy.waiting_on == ("00-worktree.md", "01-as-is.md")


@pytest.mark.parametrize(
    ("name", "statuses"), [("00-requirements.md", "d"), ("01-as-is.md", "LLd"), ("02-to-be-plan.md", "LL")]
)
def test_allows_a_lock_in_order(name, statuses):
    assert judge(lock(name, run(statuses))) == Pass()


@pytest.mark.parametrize(
    "item", [lock("notes.md", run("d")), lock(None, run("d")), lock("01-as-is.md", None)]
)
def test_abstains_without_an_artifact_of_the_sequence_or_a_run(item):
    assert isinstance(judge(item), Pass)


def test_reopening_needs_no_prerequisites():
    assert judge(lock("01-as-is.md", run("LdL"), reopen=True)) == Pass(applied=False)


def test_a_run_id_that_cant_be_used_denies_and_names_the_fallback():
    verdict = judge(lock("01-as-is.md", run("LL", "run-a"), run_problem="it contains a path separator"))
    assert isinstance(verdict, Deny)
    assert "`run-a`" in verdict.reason
    assert verdict.blockers == ()


def test_a_bad_run_id_still_lists_the_blockers_of_the_fallback():
    verdict = judge(lock("01-as-is.md", run("dd", "run-a"), run_problem="it is empty"))
    assert isinstance(verdict, Deny)
    assert [blocker.artifact for blocker in verdict.blockers] == ["00-requirements.md", "00-worktree.md"]


@pytest.mark.parametrize("more", [{"reopen": True}, {}])
def test_a_bad_run_id_denies_even_a_reopen_or_without_any_run(more):
    assert isinstance(judge(lock("01-as-is.md", None, run_problem="it is empty", **more)), Deny)
    assert isinstance(judge(lock("01-as-is.md", run("dd"), run_problem="it is empty", **more)), Deny)


def test_an_artifact_outside_the_run_denies():
    verdict = judge(lock("../x/01-as-is.md", run("LL"), artifact_problem="it leads out of the run"))
    assert isinstance(verdict, Deny)
    assert "leads out" in verdict.reason
