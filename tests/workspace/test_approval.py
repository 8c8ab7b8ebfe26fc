"""A run's approval: an agent's own line is reported, and believed by nobody."""

import pytest

from phasegate.workspace.start import start_run
from support.lifecycle import run_dir, site_of

REQUIREMENTS = "00-requirements.md"


def approval(root):
    return start_run(site_of(root), "r1").approval


def test_a_new_run_is_not_approved(tmp_path):
    found = approval(tmp_path)

    assert (found.approved, found.artifact, found.gate) == (False, REQUIREMENTS, "run-start")
    assert "no line `Run Start`" in found.reason


@pytest.mark.parametrize("value", ["Hold", "Start run"])
def test_the_line_is_quoted_and_approves_nothing(tmp_path, value):
    """An agent can write it: after entry the requirements are its own to edit."""
    start_run(site_of(tmp_path), "r1")
    path = run_dir(tmp_path) / REQUIREMENTS
    path.write_text(path.read_text() + f"\n- Run Start: {value}\n")

    found = approval(tmp_path)

    assert not found.approved
    assert f"`Run Start: {value}`" in found.reason


def test_requirements_that_cannot_be_read_approve_nothing(tmp_path):
    start_run(site_of(tmp_path), "r1")
    path = run_dir(tmp_path) / REQUIREMENTS
    path.unlink()
    path.symlink_to("/etc/hostname")

    assert not approval(tmp_path).approved
