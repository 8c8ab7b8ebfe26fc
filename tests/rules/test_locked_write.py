"""A locked file of a run stays as it was approved."""

import pytest

from phasegate.core.verdict import Deny, Pass
from phasegate.rules.locked_write import RULE
from support.facts import BUILTIN, call, facts, in_run, run, target


def judge(item):
    return next(iter(RULE.judge(call(), facts(item), BUILTIN)))


@pytest.mark.parametrize(
    ("op", "verb"),
    [
        ("write", "edit"),
        ("append", "append to"),
        ("truncate", "truncate"),
        ("delete", "delete"),
        ("move_from", "move away"),
        ("move_to", "overwrite"),
        ("chmod", "change the permissions of"),
    ],
)
def test_denies_every_operation_and_names_the_construct(op, verb):
    verdict = judge(in_run("02-to-be-plan.md", run("LLLLL"), op, via="sed -i"))
    assert isinstance(verdict, Deny)
    assert verdict.reason == f"`sed -i` would {verb} `02-to-be-plan.md` of run `r1`, which is LOCKED"
    assert verdict.remedy.action == "reopen"
    assert "phasegate run reopen r1 02-to-be-plan.md --reason" in verdict.remedy.text


def test_a_lock_without_its_lock_receipt_is_still_protected():
    assert isinstance(judge(in_run("01-as-is.md", run("LLn"))), Deny)


@pytest.mark.parametrize("statuses", ["LLd", "LLs", "LL"])
def test_a_draft_a_stale_or_an_absent_artifact_may_be_written(statuses):
    assert judge(in_run("01-as-is.md", run(statuses))) == Pass()


def test_protects_a_locked_addendum():
    verdict = judge(in_run("addenda/plan.addendum-01.md", run("LL"), sealed=True))
    assert isinstance(verdict, Deny)
    assert "addenda/plan.addendum-01.md" in verdict.reason


def test_deleting_a_directory_deletes_what_is_locked_below():
    verdict = judge(
        target(
            ".recursive/run",
            op="delete",
            recursive=True,
            via="rm",
            covers_sealed=("a/00.md", "a/01.md", "b/00.md"),
        )
    )
    assert isinstance(verdict, Deny)
    assert "`a/00.md` and 2 more" in verdict.reason


def test_one_locked_file_below_is_named_alone():
    verdict = judge(target("x", op="delete", recursive=True, covers_sealed=("a/00.md",)))
    assert isinstance(verdict, Deny)
    assert "more" not in verdict.reason


def test_a_sealed_file_outside_any_run_is_judged_without_a_run():
    verdict = judge(target("x.md", sealed=True))
    assert isinstance(verdict, Deny)
    assert "reopen RUN" in verdict.remedy.text


def test_abstains_outside_runs():
    assert judge(target("src/a.py")) == Pass(applied=False)


def test_hostile_names_stay_on_one_line():
    verdict = judge(target("evil\n`name`" + "x" * 500, sealed=True))
    assert isinstance(verdict, Deny)
    assert "\n" not in verdict.reason
    assert len(verdict.reason) < 400


@pytest.mark.parametrize(
    ("rel", "op", "denied"),
    [
        ("", "write", False),
        ("src", "write", False),
        (".recursive", "write", True),
        (".recursive/run/r1", "write", True),
        ("", "delete", True),
        ("", "move_from", True),
        ("", "chmod", True),
    ],
)
def test_unpacking_around_a_run_is_no_overwrite_but_sweeping_is(rel, op, denied):
    verdict = judge(target(rel, op=op, recursive=True, covers_sealed=("a/00.md",)))
    assert isinstance(verdict, Deny) is denied


def test_the_workspace_itself_is_named_by_a_dot():
    verdict = judge(target("", op="delete", recursive=True, covers_sealed=("a/00.md",)))
    assert isinstance(verdict, Deny)
    assert "would delete `.`" in verdict.reason
