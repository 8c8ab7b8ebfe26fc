"""Starting a run: everything a run needs, nothing overwritten, never half a run."""

import shutil

import pytest

from phasegate.errors import FileRefused, InvalidRequest, LockRefused
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.start import start_run
from support.disk import killed_everywhere, names, tree
from support.lifecycle import run_dir, site_of
from support.peer import SEQUENCE, status


def start(root, run_id="r1", title=""):
    return start_run(site_of(root), run_id, title)


def test_scaffolds_the_directories_and_the_drafts(tmp_path):
    started = start(tmp_path)

    directories = [name for name in started.created if name.endswith("/")]
    assert len(directories) == 11
    assert "evidence/review-bundles/" in directories
    assert [name for name in started.created if not name.endswith("/")] == list(SEQUENCE)
    assert started.existing == ()
    assert {status((run_dir(tmp_path) / name).read_text()) for name in SEQUENCE} == {"DRAFT"}
    assert "memory-injections.json" not in names(run_dir(tmp_path))
    assert names(tmp_path / ".recursive") == ["run"]


def test_headers_name_run_and_phase(tmp_path):
    start(tmp_path, title="Fix  the\nparser")

    text = (run_dir(tmp_path) / "00-requirements.md").read_text()
    lines = text.split("\n")
    assert lines[0] == "Run: `/.recursive/run/r1/`"
    assert lines[1] == "Phase: `00 Requirements`"
    assert lines[2] == "Status: `DRAFT`"
    assert "Fix the parser" in lines
    assert "Coverage: FAIL" in lines


def test_what_exists_is_listed_and_never_overwritten(tmp_path):
    directory = run_dir(tmp_path)
    directory.mkdir(parents=True)
    (directory / "00-requirements.md").write_text("mine")
    (directory / "addenda").symlink_to(tmp_path)

    with pytest.raises(FileRefused):
        start(tmp_path)
    (directory / "addenda").unlink()
    started = start(tmp_path)

    assert "00-requirements.md" in started.existing
    assert "00-worktree.md" in started.created
    assert (directory / "00-requirements.md").read_text() == "mine"
    assert start(tmp_path).created == ()


def test_an_untouched_draft_is_below_the_standard(tmp_path):
    start(tmp_path)

    with pytest.raises(LockRefused, match="placeholder"):
        lock_artifact(site_of(tmp_path), "r1", "00-requirements.md")


def test_a_started_run_is_entered_at_its_first_phase(tmp_path):
    start(tmp_path)

    assert enter_phase(site_of(tmp_path), EntryRequest()).phase.artifact == "00-requirements.md"


@pytest.mark.parametrize("run_id", ["", "a/b", "-rf", "CON", "nul.md", "..", "LPT1"])
def test_a_bad_name_is_refused_before_anything_is_made(tmp_path, run_id):
    with pytest.raises(InvalidRequest):
        start(tmp_path, run_id)
    assert tree(tmp_path) == {}


def test_a_long_title_is_refused(tmp_path):
    with pytest.raises(InvalidRequest, match="title"):
        start(tmp_path, title="x" * 501)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("place", [".recursive", ".recursive/run", ".recursive/run/r1"])
def test_a_link_on_the_way_is_never_followed(tmp_path, place):
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (root / place).parent.mkdir(parents=True)
    (root / place).symlink_to(outside)

    with pytest.raises(FileRefused):
        start(root)
    assert names(outside) == []


def test_a_killed_start_leaves_a_whole_run_or_none(tmp_path):
    runs = tmp_path / ".recursive/run"
    whole = half_built = 0
    for _ in killed_everywhere(lambda: start(tmp_path)):
        if runs.is_dir() and names(runs):
            assert names(runs) == ["r1"]
            assert set(SEQUENCE) <= set(names(runs / "r1"))
            whole += 1
            shutil.rmtree(runs / "r1")
        elif runs.is_dir() and names(runs.parent) != ["run"]:
            half_built += 1
    assert whole
    assert half_built > 100

    start(tmp_path)
    assert names(tmp_path / ".recursive") == ["run"]
