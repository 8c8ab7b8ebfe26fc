"""What an operation on a whole directory would take with it."""

import pytest

from phasegate.files.view import DiskView
from phasegate.workspace import coverage as module
from phasegate.workspace.coverage import Coverage
from phasegate.workspace.locate import Workspace
from phasegate.workspace.seals import Seals
from support.facts import WORKFLOW
from support.lifecycle import make_run, run_dir
from support.peer import artifact_text

RUNS = WORKFLOW.runs_path
FIRST, SECOND = WORKFLOW.artifacts[:2]
SEALED = f"{RUNS}/r1/{FIRST}"


@pytest.fixture
def coverage():
    return Coverage(WORKFLOW, Seals())


@pytest.fixture
def workspace(tmp_path):
    return Workspace("w", str(tmp_path.resolve()))


@pytest.mark.parametrize("rel", ["", ".recursive", RUNS, f"{RUNS}/r1", SEALED])
def test_locked_files_at_and_below(coverage, workspace, tmp_path, rel):
    make_run(tmp_path, a00="locked", a00w="draft", a01="stale")

    assert coverage.concerns(rel)
    assert coverage.below(rel, workspace).sealed == [SEALED]


@pytest.mark.parametrize(
    "rel", [".recursive/memory", f"{RUNS}/r2", f"{RUNS}/r1/evidence", f"{RUNS}/r1/{SECOND}"]
)
def test_nothing_beside(coverage, workspace, tmp_path, rel):
    make_run(tmp_path, a00="locked", a00w="draft")
    (run_dir(tmp_path) / "evidence").mkdir()

    found = coverage.below(rel, workspace)

    assert (found.sealed, found.guarded) == ([], [])


@pytest.mark.parametrize("rel", ["src", ".recursive2", "tests/.recursive/run", "x/.recursive"])
def test_the_product_is_not_walked(coverage, rel):
    assert not coverage.concerns(rel)


def test_a_lock_counts_without_its_receipt_and_in_any_document(coverage, workspace, tmp_path):
    addendum = run_dir(tmp_path) / "addenda" / "a.md"
    addendum.parent.mkdir(parents=True)
    addendum.write_text(artifact_text("r1", "a.md", "locked"))

    assert coverage.below(RUNS, workspace).sealed == [f"{RUNS}/r1/addenda/a.md"]


def test_the_guards_own_files(coverage, workspace, tmp_path):
    layout = WORKFLOW.layout
    make_run(tmp_path, a00="locked")
    own = [
        f"{layout.control}/{layout.policy}",
        f"{layout.control}/{layout.logs[0]}",
        f"{layout.control}/{layout.feedback}",
        f"{layout.control}/config/phasegate-anchor.json",
        f"{RUNS}/r1/{layout.read_receipts}",
    ]
    for rel in (*own, f"{layout.control}/config/other.json", f"{layout.control}/memory/MEMORY.md"):
        (tmp_path / rel).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / rel).write_text("")

    assert set(coverage.below("", workspace).guarded) == {
        *own,
        f"{RUNS}/r1/locks/00-requirements.receipt.json",
    }
    assert coverage.below(f"{layout.control}/config", workspace).guarded == [own[0], own[1], own[3]]
    assert coverage.below(f"{RUNS}/r1/locks", workspace).guarded == [
        f"{RUNS}/r1/locks/00-requirements.receipt.json"
    ]


def test_links_are_not_followed_but_a_linked_run_is_a_run(coverage, workspace, tmp_path):
    elsewhere = tmp_path.with_name(tmp_path.name + "-elsewhere")
    make_run(tmp_path, a00="locked").rename(elsewhere)
    run_dir(tmp_path).symlink_to(elsewhere)
    make_run(tmp_path, "r2")
    (run_dir(tmp_path, "r2") / "aside").symlink_to(elsewhere)

    assert coverage.below(RUNS, workspace).sealed == [SEALED]


def test_no_control_plane_holds_nothing(coverage, workspace):
    found = coverage.below("", workspace)

    assert (found.sealed, found.guarded, found.unreadable) == ([], [], [])


class TestBounds:
    def test_a_run_that_is_not_looked_through_to_its_end_counts_as_locked(
        self, coverage, workspace, tmp_path, monkeypatch
    ):
        for index in range(10):
            make_run(tmp_path, f"run-{index}", a00="draft")
        assert coverage.below(RUNS, workspace).sealed == []
        monkeypatch.setattr(module, "LOOK_UPS", 40)

        found = coverage.below(RUNS, workspace).sealed

        assert len(found) == 1
        assert found[0].startswith(f"{RUNS}/run-")

    def test_so_does_one_with_too_many_documents(self, coverage, workspace, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "FILES_READ", 3)
        make_run(tmp_path)
        for index in range(5):
            (run_dir(tmp_path) / f"{index}.md").write_text("")

        assert coverage.below(RUNS, workspace).sealed == [f"{RUNS}/r1"]

    def test_and_one_that_is_nested_too_deeply(self, coverage, workspace, tmp_path):
        (run_dir(tmp_path) / "/".join("abcdefgh")).mkdir(parents=True)

        assert coverage.below(RUNS, workspace).sealed == [f"{RUNS}/r1"]

    def test_a_few_names_are_enough(self, coverage, workspace, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "NAMED", 3)
        for index in range(10):
            make_run(tmp_path, f"run-{index}", a00="locked")

        assert len(coverage.below(RUNS, workspace).sealed) == 3


class TestProtected:
    @pytest.mark.parametrize(
        ("rel", "places"),
        [
            ("", [".recursive/run", ".recursive/STATE.md"]),
            (".recursive", [".recursive/run", ".recursive/STATE.md"]),
            (f"{RUNS}/r1", [".recursive/run"]),
            (".recursive/STATE.md", [".recursive/STATE.md"]),
            (".recursive/memory", []),
            ("src", []),
        ],
    )
    def test_places_that_exist(self, coverage, workspace, tmp_path, rel, places):
        make_run(tmp_path)
        (tmp_path / ".recursive/STATE.md").write_text("")

        assert sorted(coverage.protected(rel, workspace, DiskView())) == sorted(places)

    @pytest.mark.parametrize(
        ("rel", "protects"),
        [
            (RUNS, True),
            (f"{RUNS}/r1/x", True),
            (".recursive/memory/domains/x.md", True),
            (".recursive/DECISIONS.md", True),
            (".recursive/config/x", True),
            (".recursive", False),
            (".recursive/AGENTS.md", False),
            (".recursive/running", False),
            ("src", False),
            ("", False),
        ],
    )
    def test_by_name(self, coverage, rel, protects):
        assert coverage.protects(rel) is protects
