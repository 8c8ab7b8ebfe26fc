"""The facts of a call where the disk refuses, and what they cost."""

import os

import pytest

from phasegate.core.call import ContentChange, OpaqueReason, ToolCall
from phasegate.core.engine import decide
from phasegate.files import read, view
from phasegate.files.view import DiskView
from phasegate.workspace import coverage, placing
from phasegate.workspace.snapshot import Snapshots
from support.facts import BUILTIN, WORKFLOW
from support.lifecycle import all_locked, make_run, run_dir
from support.reading import Reader

RUNS = WORKFLOW.runs_path
FIRST, SECOND, THIRD = WORKFLOW.artifacts[:3]
SIDECAR = WORKFLOW.layout.read_receipts
EDIT = ContentChange("edit", edits=(("a", "b", False),))


@pytest.fixture
def reader(tmp_path):
    found = Reader(tmp_path)
    yield found
    found.runs.close()


class TestUnreadable:
    """Evidence that exists and can't be read is told, never taken for absent, and raises nothing."""

    def test_a_path_that_can_not_be_looked_up(self, reader, monkeypatch):
        call, extraction = ToolCall("write"), extraction_of(reader, "src/a.py")

        def denied(_path):
            raise PermissionError(13, "Permission denied", "/secret")

        monkeypatch.setattr(view.os, "lstat", denied)
        workspace = reader.workspaces.served[0]

        found = reader.snapshots.facts(call, workspace, extraction, BUILTIN, DiskView())

        assert found.unreadable == ("a path of the call can't be looked up: permission denied",)
        assert decide(call, found, BUILTIN).kind == "deny"

    def test_a_spent_budget(self, reader):
        extraction = extraction_of(reader, "src/a.py")

        found = reader.snapshots.facts(
            ToolCall("write"), reader.workspaces.served[0], extraction, BUILTIN, DiskView(budget=0)
        )

        assert "more than 0 look-ups" in found.unreadable[0]

    @pytest.mark.parametrize("rel", [FIRST, "addenda/a.md"])
    def test_a_file_of_a_run(self, reader, tmp_path, monkeypatch, rel):
        make_run(tmp_path, a00="locked")
        (run_dir(tmp_path) / "addenda").mkdir()
        (run_dir(tmp_path) / "addenda/a.md").write_text("")

        def denied(name, *_args, **_more):
            raise PermissionError(13, "Permission denied", name)

        monkeypatch.setattr(read.os, "open", denied)

        found = reader.facts(f"{RUNS}/r1/{rel}", change=EDIT)

        assert found.unreadable
        assert all("permission denied" in reason for reason in found.unreadable)
        assert not any(str(tmp_path) in reason for reason in found.unreadable)

    def test_too_many_links_among_the_runs(self, reader, tmp_path, monkeypatch):
        monkeypatch.setattr(placing, "LINKED_RUNS", 0)
        make_run(tmp_path)
        run_dir(tmp_path, "linked").symlink_to("r1")
        reason = OpaqueReason("x", "y", words=(f"{tmp_path}/a",))

        found = reader.facts("a", recursive=True, opaque=(reason,))

        assert found.unreadable == ("the directory of runs is holding more than 0 links",)

    def test_a_document_below_a_directory(self, reader, tmp_path, monkeypatch):
        make_run(tmp_path, a00="locked")

        def denied(name, *_args, **_more):
            raise PermissionError(13, "Permission denied", name)

        monkeypatch.setattr(read.os, "open", denied)
        found = reader.facts(".recursive/run", recursive=True, op="delete")

        assert found.unreadable == (f"`{RUNS}/r1/{FIRST}`: it is unreadable (permission denied)",)

    def test_a_runtimes_configuration(self, reader, tmp_path, monkeypatch):
        (tmp_path / "hooks.json").write_text("")
        reader.snapshots = Snapshots(reader.workspaces, WORKFLOW, reader.runs, hook_files=["hooks.json"])

        def denied(*_args, **_more):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(read.os, "open", denied)

        assert "configuration can't be read" in reader.facts("hooks.json").unreadable[0]


def extraction_of(reader, operand):
    return reader.facts(operand).extraction


class TestCost:
    """In system calls, which are the same on every machine."""

    def calls(self, monkeypatch, work):
        counted = []
        with monkeypatch.context() as patch:
            for name in ("stat", "lstat", "open", "scandir", "readlink"):
                real = getattr(os, name)

                def spy(*args, _real=real, _name=name, **more):
                    # A descriptor that stands for a name alone opens nothing.
                    names_only = _name == "open" and args[1] & getattr(os, "O_PATH", 0)
                    counted.append("look" if names_only else _name)
                    return _real(*args, **more)

                patch.setattr(os, name, spy)
            work()
        return counted

    def test_is_flat_in_the_number_of_runs(self, reader, tmp_path, monkeypatch):
        seen = []
        for total in (1, 10, 1000):
            for index in range(total):
                run_dir(tmp_path, f"run-{index}").mkdir(parents=True, exist_ok=True)
            all_locked(tmp_path, "run-0")
            for work in (
                lambda: reader.facts("src/a.py"),
                lambda: reader.facts("src/a.py", run_id="run-0"),
                lambda: reader.facts(f"{RUNS}/run-0/{FIRST}"),
            ):
                for _ in range(3):
                    work()
                self.settle()
                for _ in range(2):
                    work()
                seen.append(self.calls(monkeypatch, work))

        assert seen[0:3] == seen[3:6] == seen[6:9]

    def settle(self):
        import time

        time.sleep(0.03)

    def test_of_an_ordinary_write_is_a_handful_of_looks(self, reader, tmp_path, monkeypatch):
        all_locked(tmp_path)
        reader.facts("src/a.py")
        reader.facts("src/a.py")
        depth = str(tmp_path.resolve()).count("/")

        counted = self.calls(monkeypatch, lambda: reader.facts("src/a.py"))

        assert "open" not in counted
        assert len(counted) <= depth + 8


def test_walks_have_their_own_budget(reader, tmp_path, monkeypatch):
    """A big sweep must not use up the look-ups of the rest of the call."""
    monkeypatch.setattr(coverage, "LOOK_UPS", 3)
    make_run(tmp_path, a00="draft")

    found = reader.facts(".recursive", recursive=True, op="delete")

    assert found.unreadable == ()
    assert found.targets[0].covers_sealed
