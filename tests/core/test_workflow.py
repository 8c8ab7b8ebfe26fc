"""The workflow as data."""

import pytest

from phasegate.core.workflow import workflow_from
from phasegate.errors import PolicyDefect
from support import peer
from support.facts import WORKFLOW


def test_sequence_is_the_public_one():
    assert WORKFLOW.artifacts == peer.SEQUENCE
    assert WORKFLOW.position("01.5-root-cause.md") == 3


def test_only_the_first_two_and_the_last_three_are_mandatory():
    mandatory = [phase.artifact[:2] for phase in WORKFLOW.phases if phase.mandatory]
    assert mandatory == ["00", "00", "06", "07", "08"]


def test_phase_number_is_the_leading_digits():
    assert [phase.number for phase in WORKFLOW.phases] == [int(name[:2]) for name in peer.SEQUENCE]


def test_memory_is_read_for_the_first_phase():
    assert WORKFLOW.first_artifacts == {"00-requirements.md", "00-worktree.md"}
    assert WORKFLOW.phases[0].stem == "00-requirements"


def test_names_fold_to_their_real_spelling():
    assert WORKFLOW.folded["00-requirements.md"] == "00-requirements.md"
    assert WORKFLOW.policy_path == ".recursive/config/recursive-permissions.json"
    assert WORKFLOW.by_artifact["03-implementation-summary.md"].evidence == "tdd"


@pytest.mark.parametrize("document", [{}, {"name": "x", "layout": {"typo": 1}, "phases": []}])
def test_a_broken_workflow_file_is_named(document):
    with pytest.raises(PolicyDefect, match="workflow file"):
        workflow_from(document)


def test_phases_never_go_back_in_number():
    """The active phase is found by walking the sequence, so the sequence has to be sorted."""
    with pytest.raises(PolicyDefect, match="out of order"):
        workflow_from({"phases": [{"number": 1}, {"number": 0}]})


def test_guard_owned_names_are_in_lower_case():
    layout = WORKFLOW.layout
    names = (
        layout.control,
        layout.runs,
        layout.policy,
        *layout.logs,
        layout.feedback,
        layout.locks,
        layout.read_receipts,
    )
    assert all(name == name.casefold() for name in names)
