"""What calls of one moment read together is read once, and by the next moment again."""

import pytest

from phasegate.core.policy import builtin_policy
from phasegate.rules import discover
from phasegate.workspace.locate import Workspace
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.runs import Runs
from phasegate.workspace.shared import Moment
from support.facts import WORKFLOW
from support.lifecycle import all_locked
from support.peer import SEQUENCE


@pytest.fixture
def workspace(tmp_path):
    return Workspace("w", str(tmp_path.resolve()))


@pytest.fixture
def new_moment():
    runs, policies = Runs(WORKFLOW), PolicyFiles(builtin_policy(WORKFLOW, discover()))
    yield lambda: Moment(runs, policies)
    runs.close()


def test_a_run_shows_one_state_for_all_of_a_moment(new_moment, workspace, tmp_path):
    directory = all_locked(tmp_path)
    moment = new_moment()
    before = moment.facts(workspace, directory.name)
    (directory / SEQUENCE[0]).unlink()

    assert moment.facts(workspace, directory.name) is before
    assert new_moment().facts(workspace, directory.name).facts.artifacts[SEQUENCE[0]].status == "MISSING"


def test_a_run_with_its_receipts_is_another_reading(new_moment, workspace, tmp_path):
    directory = all_locked(tmp_path)
    moment = new_moment()

    plain = moment.facts(workspace, directory.name)

    assert moment.facts(workspace, directory.name, receipts=True) is not plain
    assert moment.facts(workspace, directory.name) is plain


def test_a_policy_is_the_same_for_all_of_a_moment(new_moment, workspace, tmp_path):
    moment = new_moment()
    before = moment.policy(workspace)
    path = tmp_path / WORKFLOW.policy_path
    path.parent.mkdir(parents=True)
    path.write_text("not json")

    assert moment.policy(workspace) is before
    assert new_moment().policy(workspace).defect


def test_a_derived_workspace_has_the_policy_of_its_served_root(new_moment, workspace):
    moment = new_moment()
    derived = Workspace("w/packages/a", f"{workspace.root}/packages/a", workspace.root)

    assert moment.policy(derived) is moment.policy(workspace)


def test_the_newest_run_is_looked_for_once(new_moment, workspace, tmp_path):
    moment = new_moment()
    assert moment.newest(workspace) is None
    directory = all_locked(tmp_path)

    assert moment.newest(workspace) is None
    assert new_moment().newest(workspace) == directory.name


def test_runs_lie_where_they_lie(new_moment, workspace):
    assert new_moment().path(workspace, "r1") == f"{workspace.root}/{WORKFLOW.runs_path}/r1"
