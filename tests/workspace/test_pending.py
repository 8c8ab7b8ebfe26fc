"""Several files as one change: what an interrupted one leaves is completed only if it is ours."""

import json

import pytest

from phasegate.core.sealing import SealKey
from phasegate.files.directory import Directory
from phasegate.workspace.pending import Change, apply_changes, finish
from phasegate.workspace.workflow_file import load_workflow
from support.disk import Cut, cut_at, names, tree
from support.lifecycle import KEY

LAYOUT = load_workflow().layout
# Two steps for the directory of lock receipts, five for the pending file, twice each.
AFTER_PENDING = 14
CHANGES = (Change("a.md", b"new a"), Change("locks/b.json", b"new b"), Change("old", None))


@pytest.fixture
def run(tmp_path):
    (tmp_path / "a.md").write_bytes(b"old a")
    (tmp_path / "old").write_bytes(b"old")
    with Directory.open_root(str(tmp_path)) as directory:
        yield directory


def apply(run):
    apply_changes(run, LAYOUT, "r1", KEY, CHANGES)


def interrupted(run, tmp_path):
    """Leave the run right after the point of no return."""
    with pytest.raises(Cut), cut_at(AFTER_PENDING):
        apply(run)
    assert "phasegate-pending.json" in names(tmp_path / "locks")


AFTER = {"a.md": b"new a", "locks/": "", "locks/b.json": b"new b"}


def test_all_changes_are_made(run, tmp_path):
    apply(run)

    assert tree(tmp_path) == AFTER


def test_an_interrupted_change_is_completed(run, tmp_path):
    interrupted(run, tmp_path)

    assert finish(run, LAYOUT, "r1", KEY) == ("a.md", "locks/b.json", "old")
    assert tree(tmp_path) == AFTER
    assert finish(run, LAYOUT, "r1", KEY) == ()


@pytest.mark.parametrize(
    "tamper",
    [
        lambda text: text.replace("r1", "r2"),
        lambda text: text.replace('"path": "a.md"', '"path": "../../x"'),
        lambda text: text[:-20],
        lambda _: "[]",
        lambda _: "{}",
    ],
    ids=["another run", "another path", "torn", "list", "empty"],
)
def test_a_pending_file_that_is_not_ours_is_moved_aside(run, tmp_path, tamper):
    interrupted(run, tmp_path)
    pending = tmp_path / "locks/phasegate-pending.json"
    pending.write_text(tamper(pending.read_text()))
    (tmp_path / "a.md").write_bytes(b"old a")

    assert finish(run, LAYOUT, "r1", KEY) == ()
    assert (tmp_path / "a.md").read_bytes() == b"old a"
    assert any(".corrupt-" in name for name in names(tmp_path / "locks"))
    assert not pending.exists()


def test_another_services_key_does_not_complete_it(run, tmp_path):
    interrupted(run, tmp_path)

    assert finish(run, LAYOUT, "r1", SealKey(b"x" * 32)) == ()


def test_a_file_that_changed_meanwhile_is_not_overwritten(run, tmp_path):
    """A pending file that is kept and put back later must not undo what was written since."""
    interrupted(run, tmp_path)
    (tmp_path / "a.md").write_bytes(b"newer a")

    assert finish(run, LAYOUT, "r1", KEY) == ()
    assert (tmp_path / "a.md").read_bytes() == b"newer a"


def test_a_linked_pending_file_is_moved_aside(run, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.json"
    outside.write_text(json.dumps({}))
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks/phasegate-pending.json").symlink_to(outside)

    assert finish(run, LAYOUT, "r1", KEY) == ()
    assert outside.read_text() == "{}"
