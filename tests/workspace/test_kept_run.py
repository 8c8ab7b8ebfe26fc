"""A run directory kept open: hostile files hang nobody, and no change is missed."""

import os
import shutil
from pathlib import Path

import pytest

from phasegate.errors import FactsUnreadable
from phasegate.files import kept, read
from phasegate.files import statuses as names_looked_at
from phasegate.workspace.locate import Workspace
from phasegate.workspace.runs import Runs
from support.facts import WORKFLOW
from support.lifecycle import make_run, run_dir, write_receipt
from support.peer import SEQUENCE, artifact_text, read_rows
from support.reading import Steps, ask, settle, statuses

FIRST, SECOND, THIRD = SEQUENCE[:3]
SIDECAR = WORKFLOW.layout.read_receipts


@pytest.fixture(params=["by the library", "by stat"])
def runs(request, monkeypatch):
    """The readers of runs, in both ways in which names can be looked at."""
    if request.param == "by stat":
        monkeypatch.setattr(names_looked_at, "_FSTATAT", None)
    found = Runs(WORKFLOW, clock=Steps())
    yield found
    found.close()


@pytest.fixture
def workspace(tmp_path):
    return Workspace("w", str(tmp_path.resolve()))


class TestHostileFiles:
    @pytest.mark.parametrize(
        ("make", "lacks"),
        [
            (os.mkfifo, "it is not a regular file"),
            (lambda path: path.mkdir(), "it is a directory"),
            (lambda path: path.symlink_to("/dev/zero"), "it is a link that leaves the workspace"),
            (lambda path: path.symlink_to("nowhere"), "it is a link that leads nowhere"),
            (lambda path: path.symlink_to(path.name), "it is a link"),
            (lambda path: path.write_bytes(b"\xff"), "it is not valid UTF-8"),
            (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 50 << 20), "it is over 4 MiB"),
        ],
    )
    def test_are_present_and_not_locked_and_hang_nobody(self, runs, workspace, tmp_path, make, lacks):
        make(make_run(tmp_path) / FIRST)

        for _ in range(3):
            found = ask(runs, workspace).artifacts[FIRST]

            assert (found.status, found.sealed, found.lacks) == ("DRAFT", False, lacks)

    def test_an_artifact_that_is_a_link_inside_the_workspace_is_followed(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="locked")
        (directory / FIRST).rename(tmp_path / "kept.md")
        (directory / FIRST).symlink_to("../../../kept.md")
        settle_twice = [ask(runs, workspace).artifacts[FIRST].status for _ in range(3)]

        (tmp_path / "kept.md").write_text("Status: DRAFT\n")

        assert settle_twice == ["LOCKED"] * 3
        assert ask(runs, workspace).artifacts[FIRST].status == "DRAFT"

    def test_an_artifact_that_is_a_link_out_of_the_workspace_is_refused(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="locked")
        outside = tmp_path.with_name(tmp_path.name + "-outside")
        (directory / FIRST).rename(outside)
        (directory / FIRST).symlink_to(outside)

        assert ask(runs, workspace).artifacts[FIRST].lacks == "it is a link that leaves the workspace"

    def test_a_run_that_is_a_link_counts(self, runs, workspace, tmp_path):
        elsewhere = tmp_path.with_name(tmp_path.name + "-elsewhere")
        make_run(tmp_path, a00="locked").rename(elsewhere)
        run_dir(tmp_path).symlink_to(elsewhere)

        assert statuses(ask(runs, workspace), FIRST) == ["LOCKED"]

    def test_a_linked_directory_of_lock_receipts_proves_nothing(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="locked")
        (directory / "locks").rename(tmp_path / "mine")
        (directory / "locks").symlink_to(tmp_path / "mine")

        found = ask(runs, workspace).artifacts[FIRST]

        assert (found.status, found.sealed) == ("STALE_LOCK", True)
        assert "`locks` is not a directory" in found.lacks

    def test_what_the_system_refuses_is_unreadable(self, runs, workspace, tmp_path, monkeypatch):
        make_run(tmp_path, a00="locked")
        real = os.open

        def denied(name, *args, **more):
            if name == FIRST:
                raise PermissionError(13, "Permission denied", f"{tmp_path}/secret")
            return real(name, *args, **more)

        monkeypatch.setattr(read.os, "open", denied)
        reading = runs.facts(workspace, "r1")

        assert reading.unreadable == (f"run `r1`, `{FIRST}`: it is unreadable (permission denied)",)
        assert reading.facts.artifacts[FIRST].status == "DRAFT"
        monkeypatch.undo()
        assert runs.facts(workspace, "r1").unreadable == ()

    def test_a_run_that_can_not_be_opened_is_unreadable(self, runs, workspace, tmp_path, monkeypatch):
        make_run(tmp_path, a00="locked")

        def denied(*_args, **_more):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(kept.os, "open", denied)

        assert runs.facts(workspace, "r1").unreadable == ("the run `r1` is unreadable (permission denied)",)
        with pytest.raises(FactsUnreadable):
            runs.verify(workspace, "r1")


def _edit(directory: Path) -> None:
    (directory / FIRST).write_text("Status: DRAFT\n")


def _rewrite_with_equal_size_and_times(directory: Path) -> None:
    path = directory / FIRST
    before = path.stat()
    text = path.read_text()
    path.write_text(text.replace("LOCKED", "locked"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _rename_another_over_it(directory: Path) -> None:
    (directory / "new").write_text("Status: DRAFT\n")
    (directory / "new").rename(directory / FIRST)


def _replace_by_link(directory: Path) -> None:
    (directory / FIRST).unlink()
    (directory / FIRST).symlink_to("draft.md")
    (directory / "draft.md").write_text("Status: DRAFT\n")


def _exchange_the_directory(directory: Path) -> None:
    directory.rename(directory.with_name("old"))
    directory.mkdir()
    (directory / FIRST).write_text("Status: DRAFT\n")


def _exchange_the_directory_of_runs(directory: Path) -> None:
    directory.parent.rename(directory.parent.with_name("old"))
    directory.mkdir(parents=True)
    (directory / FIRST).write_text("Status: DRAFT\n")


def _delete(directory: Path) -> None:
    (directory / FIRST).unlink()


def _delete_all(directory: Path) -> None:
    shutil.rmtree(directory)


def _delete_the_receipt(directory: Path) -> None:
    (directory / "locks" / "00-requirements.receipt.json").unlink()


def _delete_the_receipts(directory: Path) -> None:
    shutil.rmtree(directory / "locks")


def _exchange_the_receipts(directory: Path) -> None:
    (directory / "locks").rename(directory / "old")
    (directory / "locks").mkdir()


def _forge_the_receipt(directory: Path) -> None:
    path = directory / "locks" / "00-requirements.receipt.json"
    path.write_text(path.read_text().replace("2026", "2027"))


CHANGES = {
    _edit: "DRAFT",
    _rewrite_with_equal_size_and_times: "DRAFT",
    _rename_another_over_it: "DRAFT",
    _replace_by_link: "DRAFT",
    _exchange_the_directory: "DRAFT",
    _exchange_the_directory_of_runs: "DRAFT",
    _delete: "MISSING",
    _delete_all: "MISSING",
    _delete_the_receipt: "STALE_LOCK",
    _delete_the_receipts: "STALE_LOCK",
    _exchange_the_receipts: "STALE_LOCK",
    _forge_the_receipt: "STALE_LOCK",
}


class TestEveryChangeIsSeenByTheNextCall:
    @pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
    @pytest.mark.parametrize("settled", [True, False])
    def test_after(self, runs, workspace, tmp_path, change, settled):
        directory = make_run(tmp_path, a00="locked", a00w="locked")
        assert statuses(ask(runs, workspace), FIRST) == ["LOCKED"]
        if settled:
            settle(runs, workspace)

        change(directory)

        assert statuses(ask(runs, workspace), FIRST) == [CHANGES[change]]

    def test_a_creation(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="draft")
        settle(runs, workspace)

        (directory / SECOND).write_text(artifact_text("r1", SECOND, "locked"))
        assert statuses(ask(runs, workspace), SECOND) == ["STALE_LOCK"]
        write_receipt(directory, SECOND)
        assert statuses(ask(runs, workspace), SECOND) == ["LOCKED"]

    def test_a_deletion_and_a_restoration(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="locked")
        settle(runs, workspace)
        text = (directory / FIRST).read_bytes()

        (directory / FIRST).unlink()
        assert statuses(ask(runs, workspace), FIRST) == ["MISSING"]
        (directory / FIRST).write_bytes(text)
        assert statuses(ask(runs, workspace), FIRST) == ["LOCKED"]

    def test_a_run_that_appears_after_it_was_asked_for(self, runs, workspace, tmp_path):
        assert ask(runs, workspace).exists is False
        make_run(tmp_path, a00="locked")
        assert statuses(ask(runs, workspace), FIRST) == ["LOCKED"]

    def test_what_changes_nothing_leaves_the_same_facts(self, runs, workspace, tmp_path):
        """Whoever has worked something out from them may keep it."""
        directory = make_run(tmp_path, a00="locked")
        settle(runs, workspace)
        before = ask(runs, workspace)

        (directory / "locks" / "beside").write_text("")
        assert ask(runs, workspace) is before
        (directory / "locks" / "00-requirements.receipt.json").unlink()
        assert statuses(ask(runs, workspace), FIRST) == ["STALE_LOCK"]

    def test_receipts_moved_away_and_back_while_they_were_looked_at(
        self, runs, workspace, tmp_path, monkeypatch
    ):
        """The directory that was opened is not the one whose names are believed."""
        directory = make_run(tmp_path, a00="locked")
        ask(runs, workspace)
        (directory / "locks").rename(directory / "kept")
        ask(runs, workspace)
        (directory / "kept").rename(directory / "locks")
        real = kept.KeptDirectory.open_directory

        def exchanged(self, name):
            (directory / "locks").rename(directory / "kept")
            (directory / "locks").mkdir()
            opened = real(self, name)
            (directory / "locks").rmdir()
            (directory / "kept").rename(directory / "locks")
            return opened

        with monkeypatch.context() as patch:
            patch.setattr(kept.KeptDirectory, "open_directory", exchanged)
            for _ in range(4):
                assert statuses(ask(runs, workspace), FIRST) == ["STALE_LOCK"]

        assert statuses(ask(runs, workspace), FIRST) == ["LOCKED"]

    def test_a_new_read_receipt(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="draft")
        assert ask(runs, workspace, receipts=True).read_receipts == {}
        settle(runs, workspace)

        (directory / SIDECAR).write_text(read_rows([FIRST]))
        assert list(ask(runs, workspace, receipts=True).read_receipts) == [FIRST]
        settle(runs, workspace)
        (directory / SIDECAR).unlink()
        assert ask(runs, workspace, receipts=True).read_receipts == {}

    def test_the_same_size_and_times_inside_one_tick(self, workspace, tmp_path, monkeypatch):
        """The signature does not differ at all, so the file must not have been believed yet."""
        monkeypatch.setattr(names_looked_at, "_FSTATAT", None)
        directory = make_run(tmp_path, a00="locked")
        still = Runs(WORKFLOW, clock=lambda: 0)
        real = os.stat
        frozen = real(directory / FIRST)

        def coarse(path, *args, **more):
            found = real(path, *args, **more)
            return frozen if found.st_ino == frozen.st_ino else found

        assert statuses(ask(still, workspace), FIRST) == ["LOCKED"]
        text = (directory / FIRST).read_text()
        (directory / FIRST).write_text(text.replace("LOCKED", "locked"))
        monkeypatch.setattr(kept.os, "stat", coarse)

        assert statuses(ask(still, workspace), FIRST) == ["DRAFT"]
        still.close()
