from phasegate.workspace.reopen import reopen_artifact
from phasegate.workspace.run_view import view_run
from support.lifecycle import all_locked, make_run, site_of
from support.peer import artifact_text


def view(root):
    return view_run(site_of(root), "r1")


def test_a_finished_run_is_blocked_by_nothing(tmp_path):
    all_locked(tmp_path)

    found = view(tmp_path)
    assert (found.blockers, found.stale, found.complete) == ({}, (), True)


def test_every_open_artifact_names_what_is_in_its_way(tmp_path):
    make_run(tmp_path, a00="locked", a00w="draft", a01="draft")

    blockers = view(tmp_path).blockers
    assert blockers["00-worktree.md"] == ()
    assert [(b.artifact, b.status) for b in blockers["01-as-is.md"]] == [("00-worktree.md", "DRAFT")]
    assert "00-requirements.md" not in blockers


def test_locks_on_a_changed_text_are_stale_with_the_cause(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="locked")
    (directory / "00-requirements.md").write_text(artifact_text("r1", "00-requirements.md", "locked", "new"))

    (stale,) = view(tmp_path).stale
    assert (stale.artifact, stale.cites) == ("00-worktree.md", "00-requirements.md")
    assert "has changed since" in stale.reason


def test_locks_released_by_a_reopen_are_stale(tmp_path):
    make_run(tmp_path, a00="locked", a00w="locked")
    reopen_artifact(site_of(tmp_path), "r1", "00-requirements.md", "because")

    (stale,) = view(tmp_path).stale
    assert stale.artifact == "00-worktree.md"
    assert "reopened" in stale.reason
