"""What the guard remembers of a run between two looks, and between two processes."""

import logging
import shutil

import pytest

from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.look_book import LIMIT, Look, LookBook
from phasegate.workspace.observer import Observer
from phasegate.workspace.tamper import Tamper
from support.lifecycle import make_run, run_dir, site_of

FIRST = "00-requirements.md"
FOUND = Tamper("r1", "a.md", "edited", "the lock no longer holds")
LOOK = Look({FIRST: "0" * 64}, read_receipts=True, reported=frozenset({FOUND}))


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "repo"
    make_run(root, a00="locked")
    return root


def restarted(data):
    """An observer as a new process has it."""
    return Observer(LookBook(str(data)))


def kinds(observation):
    return [tamper.kind for tamper in observation.tampers]


def test_a_look_is_kept_for_its_workspace_and_run(data):
    LookBook(str(data)).keep("/srv/a", "r1", LOOK)

    again = LookBook(str(data))
    assert again.last("/srv/a", "r1") == LOOK
    assert again.last("/srv/a", "control") is None
    assert again.last("/srv/b", "r1") is None


def test_the_runs_that_were_looked_at_are_known_until_they_are_forgotten(data):
    book = LookBook(str(data))
    assert book.runs("/srv/a") == ()
    for run_id in ("r1", "control", None):
        book.keep("/srv/a", run_id, LOOK)

    assert book.runs("/srv/a") == ("control", "r1")
    book.forget("/srv/a", "r1")
    book.forget("/srv/b", "r1")
    assert LookBook(str(data)).runs("/srv/a") == ("control",)


def test_the_control_files_are_no_run(data):
    book = LookBook(str(data))
    book.keep("/srv/a", None, LOOK)

    assert book.last("/srv/a", "control") is None
    assert book.last("/srv/a", None) == LOOK


def test_only_the_guard_can_read_it_and_no_path_of_the_machine_is_in_it(data):
    LookBook(str(data)).keep("/srv/secret-project", "r1", LOOK)

    (path,) = (data / "looks").rglob("*.json")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert "secret-project" not in str(path) + path.read_text()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"marks": 1}', '{"marks": {}, "reported": [{}]}', "x" * (LIMIT + 1)]
)
def test_a_look_that_cannot_be_read_counts_as_none(data, caplog, text):
    book = LookBook(str(data))
    book.keep("/srv/a", "r1", LOOK)
    next((data / "looks").rglob("*.json")).write_text(text)

    with caplog.at_level(logging.WARNING):
        assert book.last("/srv/a", "r1") is None
    assert "can't be read" in caplog.text
    book.keep("/srv/a", "r1", LOOK)
    assert book.last("/srv/a", "r1") == LOOK


def test_a_place_that_cannot_be_written_costs_the_memory_only(tmp_path, caplog):
    (tmp_path / "data").write_text("a file")

    LookBook(str(tmp_path / "data")).keep("/srv/a", "r1", LOOK)

    assert "can't be kept" in caplog.text


def test_a_lock_taken_off_while_nobody_looked_is_found_after_a_restart(root, data):
    restarted(data).observe(site_of(root), "r1")
    (run_dir(root) / FIRST).unlink()
    shutil.rmtree(run_dir(root) / "locks")

    assert kinds(restarted(data).observe(site_of(root), "r1")) == ["unlocked"]
    assert kinds(restarted(data).observe(site_of(root), "r1")) == []


def test_a_run_deleted_meanwhile_is_found_after_a_restart_and_told_once(root, data):
    restarted(data).observe(site_of(root), "r1")
    shutil.rmtree(run_dir(root))

    assert kinds(restarted(data).observe(site_of(root))) == ["deleted"]
    assert kinds(restarted(data).observe(site_of(root))) == []
    assert LookBook(str(data)).runs(str(root)) == ()


def test_a_policy_exchanged_meanwhile_is_found_after_a_restart(root, data):
    policy = root / ".recursive/config/recursive-permissions.json"
    policy.parent.mkdir()
    policy.write_text("{}")
    restarted(data).observe(site_of(root), "r1")
    policy.write_text("[]")

    assert kinds(restarted(data).observe(site_of(root), "r1")) == ["edited"]


def test_what_was_told_before_a_restart_is_not_told_again(root, data):
    path = run_dir(root) / FIRST
    path.write_text(path.read_text() + "x")

    assert len(restarted(data).observe(site_of(root), "r1").fresh) == 1
    again = restarted(data).observe(site_of(root), "r1")
    assert (kinds(again), again.fresh) == (["edited"], ())


def test_looking_at_another_run_in_between_does_not_tell_a_finding_again(root, data):
    make_run(root, "r2", a00="stale")
    observer = restarted(data)

    assert [len(observer.observe(site_of(root), run).fresh) for run in ("r1", "r2", "r1", "r2")] == [
        0,
        1,
        0,
        0,
    ]


def test_an_operation_of_another_process_is_no_tampering(root, data):
    first, second = restarted(data), restarted(data)
    first.observe(site_of(root), "r1")
    make_run(root, a00w="draft")
    lock_artifact(site_of(root), "r1", "00-worktree.md")
    second.refresh(site_of(root), "r1")

    assert kinds(first.observe(site_of(root), "r1")) == []


def test_a_refresh_leaves_what_does_not_stand_to_the_next_look(root, data):
    """The guard's own operation must not hide what somebody else did just before it."""
    observer = restarted(data)
    observer.observe(site_of(root), "r1")
    path = run_dir(root) / FIRST
    path.write_text(path.read_text() + "x")
    observer.refresh(site_of(root), "r1")

    assert [tamper.kind for tamper in observer.observe(site_of(root), "r1").fresh] == ["edited"]
