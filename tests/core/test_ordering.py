"""Order within a run."""

import pytest

from phasegate.core.facts import RunFacts
from phasegate.core.ordering import (
    active_artifact,
    lock_blockers,
    next_legal_artifact,
    pending_phase,
    write_limit,
)
from support.cases import load
from support.facts import WORKFLOW, run

LETTER = {"locked": "L", "draft": "d", "stale": "s"}
VECTORS = [
    c for c in load("guard.json") if c["call"]["tool"] in ("#next_legal_phase", "#active_artifact_phase")
]


def run_of(case):
    files = case["setup"]["runs"]["r1"]["files"]
    return run("".join(LETTER.get(files.get(name, {}).get("kind"), "-") for name in WORKFLOW.artifacts))


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["id"])
def test_next_legal_and_active_phase_as_documented(case):
    found = run_of(case)
    if case["call"]["tool"] == "#next_legal_phase":
        answer = next_legal_artifact(found, WORKFLOW)
    else:
        active = active_artifact(found, WORKFLOW)
        answer = None if active is None else WORKFLOW.by_artifact[active].number

    assert answer == case["expect"]["value"]


@pytest.mark.parametrize(
    ("statuses", "active"),
    [("", None), ("dd", "00-requirements.md"), ("Ld", "00-worktree.md"), ("LLs", "01-as-is.md"),
     ("LLLLLL", "03-implementation-summary.md"), ("--d", "01-as-is.md")],
)  # fmt: skip
def test_active_artifact_is_the_lowest_unlocked_else_the_last(statuses, active):
    assert active_artifact(run(statuses), WORKFLOW) == active


@pytest.mark.parametrize(
    ("statuses", "pending"), [("", None), ("LL", None), ("L" * 12, None), ("LLd", 1), ("LLLLsd", 2)]
)
def test_a_finished_or_parked_run_has_no_pending_phase(statuses, pending):
    found = pending_phase(run(statuses), WORKFLOW)
    assert (found.number if found else None) == pending


def test_a_missing_mandatory_phase_blocks_as_an_unlocked_one_does():
    blockers = lock_blockers(run("-s-d"), WORKFLOW, "08-memory-impact.md")
    assert [(b.artifact, b.status) for b in blockers] == [
        ("00-requirements.md", "MISSING"),
        ("00-worktree.md", "STALE_LOCK"),
        ("01.5-root-cause.md", "DRAFT"),
        ("06-decisions-update.md", "MISSING"),
        ("07-state-update.md", "MISSING"),
    ]


def test_next_legal_is_nothing_when_something_earlier_blocks():
    assert next_legal_artifact(run("-LL" + "L" * 9), WORKFLOW) == "00-requirements.md"
    assert next_legal_artifact(run("LL" + "-" * 7 + "d"), WORKFLOW) == "06-decisions-update.md"


@pytest.mark.parametrize(
    ("statuses", "number", "artifact"),
    [
        ("", 0, "00-requirements.md"),
        ("LL", 6, "06-decisions-update.md"),
        ("LLd", 1, "01-as-is.md"),
        ("LLLLLs", 3, "03-implementation-summary.md"),
        ("--Ld", 0, "00-requirements.md"),
        ("L-d", 0, "00-worktree.md"),
        ("L" * 12, 8, "08-memory-impact.md"),
        ("LL" + "-" * 7 + "Ld", 7, "07-state-update.md"),
    ],
)
def test_write_limit_is_the_lower_of_pending_and_first_missing_mandatory(statuses, number, artifact):
    limit = write_limit(run(statuses), WORKFLOW)
    assert (limit.number, limit.artifact) == (number, artifact)


def test_an_artifact_that_was_not_looked_at_counts_as_missing():
    assert write_limit(RunFacts("r", exists=False, artifacts={}), WORKFLOW).status == "MISSING"
