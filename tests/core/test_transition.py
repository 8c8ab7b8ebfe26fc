"""The report on a lock."""

import pytest

from phasegate.core.transition import transition_report
from support.facts import WORKFLOW, lock, run

EVERY = "## Effective Inputs Re-read\n"
AUDIT = EVERY + "Audit: PASS\n## Requirement Completion Status\n- Delegation Decision Basis: x\n"


def failures(artifact, statuses, text, **more):
    report = transition_report(lock(artifact, run(statuses), text, **more), WORKFLOW)
    assert report is not None
    assert report.passed is (not report.failures)
    return " | ".join(report.failures)


def test_a_complete_artifact_passes():
    assert failures("00-requirements.md", "d", EVERY) == ""
    assert failures("01-as-is.md", "LLd", AUDIT) == ""


def test_an_absent_artifact_is_the_only_failure():
    assert failures("02-to-be-plan.md", "dd", None) == "`02-to-be-plan.md` is absent or can't be read"


def test_an_audited_artifact_lists_everything_it_lacks():
    told = failures("01-as-is.md", "Ld", "x")
    for part in (
        "00-worktree.md` is DRAFT",
        "Audit: PASS",
        "Requirement Completion",
        "delegation",
        "Re-read",
    ):
        assert part in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no TDD mode"),
        ("TDD Mode: pragmatic\n", "rationale"),
        ("TDD Mode: pragmatic\nRationale: small\n", ""),
        ("TDD Mode: strict\n", "no RED evidence is named | no GREEN evidence is named"),
        ("TDD Mode: strict\nRED: evidence/r\nGREEN: evidence/g\n", "the GREEN evidence `evidence/g`"),
    ],
)
def test_tdd_evidence_has_to_exist(text, told):
    found = failures("03-implementation-summary.md", "LLLLLd", text + AUDIT, evidence={"evidence/r": True})
    assert (told in found) if told else found == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no QA execution mode"),
        ("QA Execution Mode: agent-operated\n", ""),
        ("QA Execution Mode: human\n", "sign-off"),
        ("QA Execution Mode: Hybrid\nSign-off: Ada\n", ""),
    ],
)
def test_a_person_signs_off_manual_qa(text, told):
    found = failures("05-manual-qa.md", "LLLLLLLLd", text + EVERY)
    assert (told in found) if told else found == ""


def test_a_file_outside_the_sequence_needs_only_the_common_section():
    assert failures("notes.md", "dd", EVERY) == ""


@pytest.mark.parametrize("more", [{"reopen": True}, {"artifact_problem": "outside the run"}])
def test_a_reopen_or_an_unusable_artifact_has_no_report(more):
    assert transition_report(lock("01-as-is.md", run("LL"), **more), WORKFLOW) is None


def test_no_artifact_or_no_run_has_no_report():
    assert transition_report(lock(None, run("LL")), WORKFLOW) is None
    assert transition_report(lock("01-as-is.md", None), WORKFLOW) is None
