"""Lock and entry requests: which run, which artifact, which evidence."""

import os

import pytest

from phasegate.core.call import Effect, EnterRequest
from phasegate.files import read
from phasegate.files.read import watch_opens
from support.facts import WORKFLOW
from support.lifecycle import make_run, run_dir
from support.reading import Reader

RUNS = WORKFLOW.runs_path
FIRST, SUMMARY, LAST = WORKFLOW.artifacts[0], "03-implementation-summary.md", WORKFLOW.artifacts[-1]


@pytest.fixture
def reader(tmp_path):
    make_run(tmp_path, "r1", a00="draft", a08="draft")
    make_run(tmp_path, "newest", a00="locked")
    os.utime(run_dir(tmp_path, "r1"), (1, 1))
    os.utime(run_dir(tmp_path, "newest"), (9, 9))
    found = Reader(tmp_path)
    yield found
    found.runs.close()


def lock(reader, *args, **more):
    return reader.lock(*args, **more).locks[0]


class TestRun:
    def test_is_the_one_the_request_names(self, reader):
        found = lock(reader, FIRST, "r1", run_id="newest")

        assert (found.run.run_id, found.run_problem) == ("r1", "")

    def test_named_with_blanks_around(self, reader):
        assert lock(reader, FIRST, " r1 ").run.run_id == "r1"

    def test_else_the_bound_one(self, reader):
        assert lock(reader, FIRST, run_id="r1").run.run_id == "r1"

    def test_else_the_newest(self, reader):
        assert lock(reader, FIRST).run.run_id == "newest"

    def test_need_not_exist(self, reader):
        found = lock(reader, FIRST, "planned")

        assert (found.run.run_id, found.run.exists) == ("planned", False)

    @pytest.mark.parametrize(
        "run_id", ["../elsewhere", "/abs", "a/b", "run:b", ".hidden", "", "  ", "x" * 101]
    )
    def test_one_that_can_not_be_used_falls_back_and_says_so(self, reader, run_id):
        found = lock(reader, FIRST, run_id)

        assert found.run.run_id == "newest"
        assert found.run_problem != ""
        assert lock(reader, FIRST, run_id, run_id="r1").run.run_id == "r1"

    def test_one_that_is_no_text_falls_back_and_says_so(self, reader):
        found = lock(reader, FIRST, run_id_malformed=True)

        assert (found.run.run_id, found.run_problem) == ("newest", "it is not a text")

    def test_without_any_run_there_is_none(self, tmp_path):
        (tmp_path / "empty").mkdir()

        found = lock(Reader(tmp_path / "empty"), " x.md ")

        assert (found.run, found.artifact) == (None, "x.md")

    def test_of_a_derived_workspace_is_the_served_ones_when_it_has_no_such_run(self, reader, tmp_path):
        """A directory with a control directory of its own is quickly made, and gone to."""
        (tmp_path / "sub/.recursive").mkdir(parents=True)

        found = reader.facts("src.py", run_id="r1", cwd=tmp_path / "sub")

        assert found.workspace == "w/sub"
        assert found.bound.exists


class TestArtifact:
    @pytest.mark.parametrize(
        ("given", "artifact"),
        [
            (FIRST, FIRST),
            (f" {FIRST} ", FIRST),
            (f"./{LAST}", LAST),
            (f"x/../{LAST}", LAST),
            (f".\\{LAST}", LAST),
            (f"{RUNS}/r1/{LAST}", LAST),
            (f"./{RUNS}/r1/{LAST}", LAST),
            ("addenda/a.md", "addenda/a.md"),
            ("notes.md", "notes.md"),
            (FIRST.upper(), FIRST.upper()),
            (None, None),
            ("  ", None),
        ],
    )
    def test_is_brought_to_its_name_in_the_run(self, reader, given, artifact):
        found = lock(reader, given, "r1")

        assert (found.artifact, found.artifact_problem) == (artifact, "")

    def test_may_be_an_absolute_path_into_the_run(self, reader, tmp_path):
        assert lock(reader, f"{tmp_path.resolve()}/{RUNS}/r1/{LAST}", "r1").artifact == LAST

    @pytest.mark.parametrize(
        "given",
        [f"../newest/{FIRST}", "../../../src/x", "/etc/passwd", ".", "..", "./", f"/{FIRST}", "a\0b/c"],
    )
    def test_must_not_leave_the_run(self, reader, given):
        found = lock(reader, given, "r1")

        if given.startswith("a\0"):
            assert found.text is None
        else:
            assert found.artifact_problem == "it does not lie in the run"
        assert found.text is None

    def test_is_the_file_behind_a_link_or_another_name(self, reader, tmp_path):
        (run_dir(tmp_path) / "soft.md").symlink_to(LAST)
        os.link(run_dir(tmp_path) / LAST, run_dir(tmp_path) / "hard.md")
        (run_dir(tmp_path) / "out.md").symlink_to("/etc/passwd")

        assert lock(reader, "soft.md", "r1").artifact == LAST
        assert lock(reader, "hard.md", "r1").artifact == LAST
        assert lock(reader, "out.md", "r1").artifact_problem == "it does not lie in the run"


class TestText:
    def test_is_the_artifacts_present_text(self, reader):
        assert lock(reader, FIRST, "r1").text.startswith("Run: `r1`")
        assert lock(reader, "01-as-is.md", "r1").text is None

    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
    def test_of_what_is_no_file_is_none(self, reader, tmp_path, make):
        make(run_dir(tmp_path) / SUMMARY)

        found = reader.lock(SUMMARY, "r1")

        assert found.locks[0].text is None
        assert found.unreadable == ()

    def test_that_the_system_refuses_is_unreadable_evidence(self, reader, monkeypatch):
        def denied(*_args, **_more):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(read.os, "open", denied)

        found = reader.lock(FIRST, "r1")

        assert found.locks[0].text is None
        assert any("permission denied" in reason for reason in found.unreadable)


class TestEvidence:
    @pytest.mark.parametrize(
        ("path", "there"),
        [
            ("evidence/red.log", True),
            (f"{RUNS}/r1/evidence/red.log", True),
            (f"/{RUNS}/r1/evidence/red.log", True),
            ("evidence/empty.log", False),
            ("evidence/none.log", False),
            ("evidence", False),
            ("evidence/pipe", False),
            ("evidence/out", False),
            (f"{RUNS}/newest/{FIRST}", False),
            ("/etc/passwd", False),
            ("../../../src/red.log", False),
        ],
    )
    def test_is_a_non_empty_file_of_the_run(self, reader, tmp_path, path, there):
        evidence = run_dir(tmp_path) / "evidence"
        evidence.mkdir()
        (evidence / "red.log").write_text("failed")
        (evidence / "empty.log").write_text("")
        (evidence / "out").symlink_to("/etc/passwd")
        os.mkfifo(evidence / "pipe")
        (run_dir(tmp_path) / SUMMARY).write_text(f"Status: DRAFT\n- RED: `{path}`\n")

        with watch_opens() as opened:
            assert lock(reader, SUMMARY, "r1").evidence == {path: there}
        assert not any("evidence" in name for name in opened)


class TestEnter:
    @pytest.mark.parametrize(
        ("request_", "run_id", "problem"),
        [
            (EnterRequest(), "newest", ""),
            (EnterRequest(run_id="r1"), "r1", ""),
            (EnterRequest(run_id="../x"), "newest", "it contains a path separator"),
            (EnterRequest(run_id_malformed=True), "newest", "it is not a text"),
        ],
    )
    def test_finds_its_run(self, reader, request_, run_id, problem):
        found = reader.facts(effect=Effect.ENTER, enters=(request_,)).enters[0]

        assert (found.run.run_id, found.run_problem) == (run_id, problem)

    def test_without_any_run_there_is_none(self, tmp_path):
        (tmp_path / "empty").mkdir()
        found = Reader(tmp_path / "empty").facts(effect=Effect.ENTER, enters=(EnterRequest(),))

        assert found.enters[0].run is None
