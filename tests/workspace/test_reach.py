"""What opaque parts of a call could reach."""

import pytest

from phasegate.core.call import OpaqueReason
from phasegate.files.view import DiskView
from phasegate.workspace.coverage import Coverage
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.placing import Placer
from phasegate.workspace.reach import Reach
from phasegate.workspace.seals import Seals
from support.facts import WORKFLOW
from support.lifecycle import make_run, run_dir

RUNS = WORKFLOW.runs_path
SEALED = f"{RUNS}/r1/{WORKFLOW.artifacts[0]}"


@pytest.fixture
def ask(tmp_path):
    root = tmp_path.resolve()

    def asked(*, more=(), **fields):
        paths = {
            name: value if isinstance(value, bool) else tuple(str(root / rel) for rel in value)
            for name, value in fields.items()
        }
        workspaces = Workspaces([Workspace("w", str(root)), *more])
        reach = Reach(Placer(workspaces, WORKFLOW), Coverage(WORKFLOW, Seals()))
        notes = []
        reason = OpaqueReason("part", "why", **paths)
        found = reach.facts(reason, workspaces.served[0], DiskView(), notes.append)
        assert notes == []
        return found

    return asked


def test_words_that_name_a_protected_place(ask):
    found = ask(words=("src/a", f"{RUNS}/r1/x.md", ".recursive/STATE.md", ".recursive", "/elsewhere/x"))

    assert found.words == (f"{RUNS}/r1/x.md", ".recursive/STATE.md")


def test_directories_that_it_could_run_in(ask):
    assert ask(cwds=("", "src")).cwds == ()
    assert ask(cwds=(".recursive/memory/domains",)).cwds == (".recursive/memory/domains",)


def test_a_deletion_around_a_protected_place_names_what_exists(ask, tmp_path):
    assert ask(destroys=("",)).destroys == ()
    make_run(tmp_path, a00="draft")

    assert ask(destroys=("",)).destroys == (RUNS,)
    assert ask(destroys=(f"{RUNS}/r1",)).destroys == (RUNS,)
    assert ask(destroys=(str(tmp_path.resolve().parent),)).destroys == (RUNS,)
    assert ask(destroys=("src",)).destroys == ()


def test_a_git_command_over_the_tree_matters_only_when_something_is_locked(ask, tmp_path):
    """Switching branches is everyday work."""
    make_run(tmp_path, a00="draft")
    found = ask(destroys=("",), whole_tree_git=True)
    assert (found.destroys, found.destroys_sealed) == ((), ())

    make_run(tmp_path, a00="locked")
    found = ask(destroys=("",), whole_tree_git=True)
    assert (found.destroys, found.destroys_sealed) == ((), (SEALED,))
    assert ask(destroys=("src",), whole_tree_git=True).destroys_sealed == ()


def test_a_directory_behind_a_link_is_that_runs(ask, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    make_run(tmp_path, a00="locked").rename(data / "r1")
    run_dir(tmp_path).symlink_to(data / "r1")

    assert ask(destroys=("data",), whole_tree_git=True).destroys_sealed == (SEALED,)
    assert ask(words=("data/r1/x",)).words == (f"{RUNS}/r1/x",)


def test_other_served_workspaces_below_count(ask, tmp_path):
    inner = tmp_path / "packages" / "inner"
    make_run(inner, a00="locked")

    found = ask(destroys=("packages",), whole_tree_git=True, more=[Workspace("inner", str(inner))])

    assert found.destroys_sealed == (SEALED,)
