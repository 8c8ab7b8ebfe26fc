"""A line that an agent can write approves nothing."""

import pytest

from phasegate.files.directory import Directory
from phasegate.workspace.approval import APPROVAL_FILE, approve_run, read_approval
from support.lifecycle import make_run, run_dir, site_of
from support.peer import artifact_text

NAME = "00-requirements.md"


def approval(root, run_id="r1"):
    with Directory.open_root(str(run_dir(root, run_id))) as run:
        return read_approval(site_of(root), run, run_id)


def say(root, line):
    (make_run(root) / NAME).write_text(artifact_text("r1", NAME, "draft", line))


@pytest.mark.parametrize(
    ("line", "reason"),
    [("", "no line"), ("- Run Start: Hold\n", "Hold"), ("- Run Start: Start run\n", "no person's approval")],
)
def test_the_line_alone_approves_nothing(tmp_path, line, reason):
    say(tmp_path, line)

    found = approval(tmp_path)
    assert (found.approved, found.gate) == (False, "run-start")
    assert reason in found.reason


def test_a_recorded_approval_holds_for_its_run_only(tmp_path):
    say(tmp_path, "")
    make_run(tmp_path, "r2")

    assert approve_run(site_of(tmp_path), "r1", "Ada").approved
    assert "Ada" in approval(tmp_path).reason
    assert not approval(tmp_path, "r2").approved


def test_a_copied_or_changed_approval_is_none(tmp_path):
    say(tmp_path, "")
    make_run(tmp_path, "r2")
    approve_run(site_of(tmp_path), "r1", "Ada")
    record = run_dir(tmp_path) / "locks" / APPROVAL_FILE
    copy = run_dir(tmp_path, "r2") / "locks" / APPROVAL_FILE
    copy.parent.mkdir()
    copy.write_text(record.read_text())
    record.write_text(record.read_text().replace("Ada", "Eve"))

    assert not approval(tmp_path).approved
    assert not approval(tmp_path, "r2").approved
