"""Memory is read before requirements are written."""

from dataclasses import replace

import pytest

from phasegate.core.facts import ReadReceiptFacts
from phasegate.core.verdict import Deny, Pass
from phasegate.rules.memory_read import RULE
from support.facts import BUILTIN, call, facts, in_run, run


def judge(item, policy=BUILTIN):
    return next(iter(RULE.judge(call(), facts(item), policy)), None)


def test_denies_and_tells_how_to_recover():
    verdict = judge(in_run("00-requirements.md", run("dd")))
    assert isinstance(verdict, Deny)
    assert verdict.reason.endswith(
        "(`phasegate run enter r1`, or the `recursive_phase` tool; an empty memory plane is fine)"
    )
    assert "phase 0" in verdict.reason
    assert verdict.remedy.action == "enter_phase"


@pytest.mark.parametrize("read", ["00-requirements.md", "00-worktree.md"])
@pytest.mark.parametrize("name", ["00-requirements.md", "00-worktree.md"])
def test_either_receipt_opens_both(read, name):
    assert judge(in_run(name, run("dd", read=(read,)))) == Pass()


def test_a_receipt_of_another_phase_opens_nothing():
    assert isinstance(
        judge(in_run("00-requirements.md", run("dd", read=("03-implementation-summary.md",)))), Deny
    )


@pytest.mark.parametrize(
    ("state", "told"), [("stale", "changed"), ("damaged", "damaged"), ("forged", "not written")]
)
def test_each_kind_of_bad_receipt_has_its_own_answer(state, told):
    bad = {"00-worktree.md": ReadReceiptFacts("00-worktree.md", state)}
    verdict = judge(in_run("00-requirements.md", run("dd", read_receipts=bad)))
    assert isinstance(verdict, Deny)
    assert told in verdict.reason


def test_an_unreadable_file_of_receipts_is_named():
    verdict = judge(
        in_run("00-requirements.md", run("dd", read_receipts_defect="the read receipts are not JSON"))
    )
    assert isinstance(verdict, Deny)
    assert "not JSON" in verdict.reason


def test_a_locked_artifact_is_another_rules_business():
    assert judge(in_run("00-requirements.md", run("L"))) == Pass()


def test_later_phases_are_gated_only_when_asked_for():
    item = in_run("02-to-be-plan.md", run("LLLLd"))
    assert judge(item) is None
    assert isinstance(judge(item, replace(BUILTIN, entry_every_phase=True)), Deny)


@pytest.mark.parametrize("op", ["delete", "chmod", "move_from"])
def test_only_writing_needs_the_read(op):
    assert judge(in_run("00-requirements.md", run("dd"), op)) is None


@pytest.mark.parametrize(("version", "opens"), [(1, False), (2, True)])
def test_a_policy_may_accept_sealed_receipts_only(version, opens):
    receipt = {"00-worktree.md": ReadReceiptFacts("00-worktree.md", "valid", version)}
    verdict = judge(
        in_run("00-requirements.md", run("dd", read_receipts=receipt)),
        replace(BUILTIN, read_receipts="sealed"),
    )
    assert isinstance(verdict, Pass) is opens
    if not opens:
        assert "no seal" in verdict.reason
