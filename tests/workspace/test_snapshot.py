"""The facts of a call: what is read for it, and nothing else."""

import os
from dataclasses import replace

import pytest

from phasegate.core.call import ContentChange, Effect, Extraction, OpaqueReason, ToolCall
from phasegate.files.read import watch_opens
from phasegate.files.view import DiskView
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.snapshot import Snapshots
from support.facts import BUILTIN, WORKFLOW
from support.lifecycle import all_locked, make_run, run_dir
from support.peer import artifact_text, read_rows
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


class TestWhatIsOpened:
    """Ordinary work must cost nothing: an open is where a slow disk waits."""

    def opened(self, reader, *operands, **more):
        with watch_opens() as names:
            reader.facts(*operands, **more)
        return names

    def test_an_ordinary_write_opens_nothing(self, reader, tmp_path):
        all_locked(tmp_path)

        assert self.opened(reader, "src/a.py", "README.md") == []

    def test_an_ordinary_write_reads_the_policy_and_nothing_else(self, reader, tmp_path):
        all_locked(tmp_path)
        policy = tmp_path / WORKFLOW.policy_path
        policy.parent.mkdir()
        policy.write_text('{"rules": [{"pattern": "*", "verdict": "allow", "reason": "ok"}]}')

        with watch_opens() as names:
            in_force = PolicyFiles(BUILTIN).policy(reader.workspace)
            reader.facts("src/a.py", policy=in_force)

        assert set(names) == {str(policy.resolve())}

    def test_a_bound_write_reads_that_runs_artifacts_and_no_read_receipts(self, reader, tmp_path):
        make_run(tmp_path, a00="draft")
        make_run(tmp_path, "r2", a00="draft")

        names = self.opened(reader, "src/a.py", run_id="r1")

        assert set(names) == {f"{tmp_path.resolve()}/{RUNS}/r1/", FIRST}

    def test_a_write_into_a_run_reads_that_run(self, reader, tmp_path):
        make_run(tmp_path, a01="draft")
        (run_dir(tmp_path) / SIDECAR).write_text(read_rows([FIRST]))

        assert SIDECAR not in self.opened(reader, f"{RUNS}/r1/{THIRD}")
        assert SIDECAR in self.opened(reader, f"{RUNS}/r1/{FIRST}")

    def test_a_read_opens_nothing_even_when_bound(self, reader, tmp_path):
        all_locked(tmp_path)

        assert self.opened(reader, effect=Effect.READ, run_id="r1") == []

    def test_the_present_text_is_read_only_where_a_change_is_applied_to_it(self, reader, tmp_path):
        make_run(tmp_path, a00="draft")
        path = f"{tmp_path.resolve()}/{RUNS}/r1/{FIRST}"

        assert path not in self.opened(reader, f"{RUNS}/r1/{FIRST}")
        assert path in self.opened(reader, f"{RUNS}/r1/{FIRST}", change=EDIT)
        assert self.opened(reader, "src/a.py", change=EDIT) == []


class TestTargets:
    def test_in_a_run_carries_its_facts(self, reader, tmp_path):
        make_run(tmp_path, a00="locked", a01="draft")

        found = reader.target(f"{RUNS}/r1/{FIRST}")

        assert (found.workspace, found.rel) == ("w", f"{RUNS}/r1/{FIRST}")
        assert (found.run.run_id, found.run_rel, found.artifact, found.sealed) == ("r1", FIRST, FIRST, True)
        assert found.run.artifacts[THIRD].status == "DRAFT"

    def test_outside_has_none(self, reader):
        found = reader.target("/elsewhere/x")

        assert (found.workspace, found.rel, found.run, found.sealed) == (None, None, None, False)

    def test_in_a_run_that_does_not_exist_yet_carries_an_absent_run(self, reader):
        found = reader.target(f"{RUNS}/r1/{FIRST}")

        assert (found.run.run_id, found.run.exists, found.artifact) == ("r1", False, FIRST)

    def test_among_fixtures_is_a_product_file(self, reader, tmp_path):
        make_run(tmp_path / "tests/fixtures", a00="locked")

        found = reader.target(f"tests/fixtures/{RUNS}/r1/{FIRST}")

        assert (found.run, found.sealed) == (None, False)

    def test_any_locked_file_of_a_run_is_sealed(self, reader, tmp_path):
        addendum = run_dir(tmp_path) / "addenda/a.md"
        addendum.parent.mkdir(parents=True)
        addendum.write_text(artifact_text("r1", "a.md", "locked"))

        assert reader.target(f"{RUNS}/r1/addenda/a.md").sealed
        addendum.write_text(artifact_text("r1", "a.md", "draft"))
        assert not reader.target(f"{RUNS}/r1/addenda/a.md").sealed

    def test_a_locked_text_elsewhere_is_not(self, reader, tmp_path):
        (tmp_path / "example.md").write_text(artifact_text("r1", "a.md", "locked"))

        assert not reader.target("example.md").sealed

    def test_a_hard_link_is_the_artifact(self, reader, tmp_path):
        make_run(tmp_path, a00="locked")
        os.link(run_dir(tmp_path) / FIRST, tmp_path / "copy.md")

        found = reader.target("copy.md")

        assert (found.rel, found.artifact, found.sealed) == (f"{RUNS}/r1/{FIRST}", FIRST, True)

    def test_the_text_of_an_edited_file_is_its_present_one(self, reader, tmp_path):
        make_run(tmp_path, a00="draft")

        assert reader.target(f"{RUNS}/r1/{FIRST}", change=EDIT).text.startswith("Run:")
        assert reader.target(f"{RUNS}/r1/{THIRD}", change=EDIT).text is None
        assert reader.target(f"{RUNS}/r1/{FIRST}").text is None

    def test_each_run_is_one_object_in_all_facts_of_a_call(self, reader, tmp_path):
        """Rules compare a target's run with the bound one by identity."""
        make_run(tmp_path, a00="draft")

        found = reader.facts(f"{RUNS}/r1/{THIRD}", f"{RUNS}/r1/{FIRST}", run_id="r1")

        assert found.targets[0].run is found.targets[1].run is found.bound
        assert found.bound.read_receipts_defect == ""

    def test_each_target_is_judged_by_the_workspace_that_owns_it(self, tmp_path):
        (tmp_path / "one").mkdir()
        make_run(tmp_path / "two", a00="locked")
        reader = Reader(tmp_path / "one", two=tmp_path / "two")

        found = reader.target(f"../two/{RUNS}/r1/{FIRST}")

        assert (found.workspace, found.sealed) == ("two", True)
        reader.runs.close()


class TestDirectories:
    def test_name_what_lies_below(self, reader, tmp_path):
        make_run(tmp_path, a00="locked")

        found = reader.target(".recursive", recursive=True, op="delete")

        assert found.covers_sealed == (f"{RUNS}/r1/{FIRST}",)
        assert found.covers_guarded == (f"{RUNS}/r1/locks/00-requirements.receipt.json",)

    def test_of_the_product_are_not_walked(self, reader, tmp_path):
        make_run(tmp_path, a00="locked")
        (tmp_path / "src").mkdir()

        found = reader.target("src", recursive=True, op="delete")

        assert (found.covers_sealed, found.covers_guarded) == ((), ())

    def test_above_the_workspace_count(self, reader, tmp_path):
        make_run(tmp_path, a00="locked")

        found = reader.target(str(tmp_path.resolve().parent), recursive=True, op="delete")

        assert found.covers_sealed == (f"{RUNS}/r1/{FIRST}",)

    def test_the_services_own_files_below_are_named_by_what_they_are(self, reader, tmp_path):
        inside = f"{tmp_path.resolve()}/state/phasegate.db"
        reader.snapshots = Snapshots(
            reader.workspaces, WORKFLOW, reader.runs, guard_paths=[(inside, "the decision log")]
        )

        found = reader.facts("state", recursive=True, op="delete")

        assert found.targets[0].covers_guarded == ("the decision log",)
        assert found.guard_paths == ((inside, "the decision log"),)


class TestHookFiles:
    @pytest.fixture
    def reader(self, reader, tmp_path):
        reader.snapshots = Snapshots(
            reader.workspaces, WORKFLOW, reader.runs, hook_files=[".claude/settings.json"]
        )
        (tmp_path / ".claude").mkdir()
        return reader

    def test_are_guarded_while_they_hold_the_entry(self, reader, tmp_path):
        path = tmp_path / ".claude/settings.json"
        path.write_text('{"hooks": "phasegate hook"}')
        found = reader.target(".claude/settings.json")
        assert (found.carries_hook, found.text) == (True, '{"hooks": "phasegate hook"}')

        path.write_text("{}")
        assert not reader.target(".claude/settings.json").carries_hook
        path.unlink()
        assert not reader.target(".claude/settings.json").carries_hook

    def test_below_a_directory_are_named(self, reader, tmp_path):
        (tmp_path / ".claude/settings.json").write_text('{"hooks": "phasegate hook"}')

        for rel in (".claude", "."):
            found = reader.target(rel, recursive=True, op="delete")
            assert found.covers_guarded == (".claude/settings.json",)
        (tmp_path / ".claude/settings.json").write_text("{}")
        assert reader.target(".claude", recursive=True, op="delete").covers_guarded == ()

    def test_are_known_by_the_end_of_their_path(self, reader, tmp_path):
        (tmp_path / ".claude/other.json").write_text("phasegate")
        (tmp_path / "my.claude").mkdir()
        (tmp_path / "my.claude/settings.json").write_text("phasegate")

        assert not reader.target(".claude/other.json").carries_hook
        assert not reader.target("my.claude/settings.json").carries_hook


class TestBound:
    def test_run_is_read_when_a_rule_may_look(self, reader, tmp_path):
        make_run(tmp_path, a00="draft")

        assert reader.facts("src/a.py", run_id="r1").bound.exists
        assert reader.facts("src/a.py", run_id="r2").bound.exists is False
        assert reader.facts("src/a.py").bound is None
        assert reader.facts(effect=Effect.READ, run_id="r1").bound is None

    @pytest.mark.parametrize("run_id", ["", "../x", "a b", "`x`\n" * 50])
    def test_run_with_a_malformed_id_is_a_problem_that_is_named(self, reader, run_id):
        found = reader.facts("src/a.py", run_id=run_id)

        assert found.bound is None
        assert found.run_id_problem.startswith("the run id `")
        assert "\n" not in found.run_id_problem
        assert len(found.run_id_problem) < 200


class TestOpaque:
    def test_parts_are_worked_out_one_by_one(self, reader, tmp_path):
        root = tmp_path.resolve()
        make_run(tmp_path, a00="draft")
        reasons = (
            OpaqueReason("a", "why", words=(f"{root}/{RUNS}/r1/x",)),
            OpaqueReason("b", "why", cwds=(f"{root}/src",)),
        )

        found = reader.facts(effect=Effect.EXECUTE, opaque=reasons).opaque

        assert [part.reason.part for part in found] == ["a", "b"]
        assert [part.words for part in found] == [(f"{RUNS}/r1/x",), ()]


def test_read_receipts_are_read_for_every_artifact_when_every_entry_counts(reader, tmp_path):
    make_run(tmp_path, a01="draft")
    (run_dir(tmp_path) / SIDECAR).write_text(read_rows([THIRD]))
    every = replace(BUILTIN, entry_every_phase=True)

    assert reader.target(f"{RUNS}/r1/{THIRD}").run.read_receipts == {}
    assert list(reader.target(f"{RUNS}/r1/{THIRD}", policy=every).run.read_receipts) == [THIRD]


def test_an_extraction_without_anything_needs_nothing(reader):
    extraction = Extraction(Effect.OTHER, "x", known=True)

    found = reader.snapshots.facts(ToolCall("x"), reader.workspace, extraction, BUILTIN, DiskView())

    assert (found.targets, found.bound, found.locks, found.unreadable) == ((), None, (), ())
