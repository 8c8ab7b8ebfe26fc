"""Where targets lie: by every name that leads to them."""

import pytest

from phasegate.core.call import WriteTarget
from phasegate.core.facts import Place
from phasegate.errors import FactsUnreadable
from phasegate.files.view import DiskView
from phasegate.targets.resolve import resolve
from phasegate.workspace import placing
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.placing import Placer
from support.facts import WORKFLOW
from support.lifecycle import make_run, run_dir
from support.memory_view import MemoryView

RUNS = WORKFLOW.runs_path
FIRST = WORKFLOW.artifacts[0]


def place_on(root, operand, *, view=None, cwd=None, others=()):
    view = view if view is not None else DiskView()
    workspaces = Workspaces([Workspace("w", str(root)), *others])
    near = workspaces.locate(None, str(cwd or root), view)
    found = resolve(view, str(cwd or root), operand)
    target = WriteTarget(found.path, found.lexical, operand, "write")
    return Placer(workspaces, WORKFLOW).place(target, near, view)


def place(tmp_path, operand, **more):
    return place_on(tmp_path.resolve(), operand, **more).place


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        ("src/a.py", Place("w", "src/a.py")),
        (".", Place("w", "")),
        (".recursive", Place("w", ".recursive")),
        (f"{RUNS}", Place("w", RUNS)),
        (f"{RUNS}/.gitkeep", Place("w", f"{RUNS}/.gitkeep")),
        (f"{RUNS}/r1", Place("w", f"{RUNS}/r1", "r1", "")),
        (f"{RUNS}/r1/{FIRST}", Place("w", f"{RUNS}/r1/{FIRST}", "r1", FIRST, FIRST)),
        (f"{RUNS}/r1/x/{FIRST}", Place("w", f"{RUNS}/r1/x/{FIRST}", "r1", f"x/{FIRST}")),
        (f"{RUNS}/r1/notes.md", Place("w", f"{RUNS}/r1/notes.md", "r1", "notes.md")),
        (f"{RUNS}/we ird/{FIRST}", Place("w", f"{RUNS}/we ird/{FIRST}", "we ird", FIRST, FIRST)),
        (f"tests/{RUNS}/x/{FIRST}", Place("w", f"tests/{RUNS}/x/{FIRST}")),
        (f".RECURSIVE/run/r1/{FIRST}", Place("w", f".RECURSIVE/run/r1/{FIRST}")),
        ("/elsewhere/x", Place()),
        (f"{RUNS}/r1/../r2/./{FIRST}/", Place("w", f"{RUNS}/r2/{FIRST}", "r2", FIRST, FIRST)),
    ],
)
def test_places_by_name_also_before_anything_exists(tmp_path, operand, expected):
    assert place(tmp_path, operand) == expected


class TestLinks:
    def test_a_linked_directory_leads_into_the_run(self, tmp_path):
        make_run(tmp_path, a00="draft")
        (tmp_path / "alias").symlink_to(run_dir(tmp_path))

        assert place(tmp_path, f"alias/{FIRST}").artifact == FIRST

    @pytest.mark.parametrize("linked", [".recursive", RUNS, f"{RUNS}/r1"])
    def test_a_part_of_the_control_plane_that_is_a_link(self, tmp_path, linked):
        """Its files' real paths lie elsewhere, and a call may name them there."""
        make_run(tmp_path, a00="draft")
        elsewhere = tmp_path.with_name(tmp_path.name + "-elsewhere")
        (tmp_path / linked).rename(elsewhere)
        (tmp_path / linked).symlink_to(elsewhere)
        rest = f"{RUNS}/r1/{FIRST}".removeprefix(linked + "/")

        expected = Place("w", f"{RUNS}/r1/{FIRST}", "r1", FIRST, FIRST)
        assert place(tmp_path, f"{RUNS}/r1/{FIRST}") == expected
        assert place(tmp_path, f"{elsewhere}/{rest}") == expected

    def test_a_run_that_is_a_link_to_a_directory_of_the_product(self, tmp_path):
        (tmp_path / "data/r1").mkdir(parents=True)
        run_dir(tmp_path).parent.mkdir(parents=True)
        run_dir(tmp_path).symlink_to("../../data/r1")

        assert place(tmp_path, f"data/r1/{FIRST}").run_id == "r1"
        assert place(tmp_path, "data/other").run_id is None

    def test_a_link_in_an_artifacts_place_is_that_artifact(self, tmp_path):
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/req.md").write_text("")
        make_run(tmp_path)
        (run_dir(tmp_path) / FIRST).symlink_to("../../../docs/req.md")

        assert place(tmp_path, f"{RUNS}/r1/{FIRST}").artifact == FIRST

    def test_links_between_runs_are_judged_by_where_they_lead(self, tmp_path):
        make_run(tmp_path, "r2", a00="draft")
        make_run(tmp_path, "r1")
        (run_dir(tmp_path) / "01-as-is.md").symlink_to(f"../r2/{FIRST}")

        found = place(tmp_path, f"{RUNS}/r1/01-as-is.md")

        assert (found.run_id, found.artifact) == ("r2", FIRST)

    def test_a_new_link_among_the_runs_is_seen_by_the_next_call(self, tmp_path):
        root = tmp_path.resolve()
        (tmp_path / "data").mkdir()
        make_run(tmp_path, "r2")
        workspaces = Workspaces([Workspace("w", str(root))])
        placer = Placer(workspaces, WORKFLOW)

        def ask():
            view = DiskView()
            near = workspaces.locate(None, str(root), view)
            return placer.at(f"{root}/data/{FIRST}", near, view).place.run_id

        assert ask() is None
        run_dir(tmp_path).symlink_to("../../data")
        assert ask() == "r1"

    def test_too_many_linked_runs_are_not_passed_over(self, tmp_path, monkeypatch):
        monkeypatch.setattr(placing, "LINKED_RUNS", 2)
        make_run(tmp_path)
        for index in range(3):
            run_dir(tmp_path, f"l{index}").symlink_to("r1")

        with pytest.raises(FactsUnreadable, match="more than 2 links"):
            place(tmp_path, "src/a.py")


class TestOtherWorkspaces:
    def test_the_one_that_owns_the_target_is_named(self, tmp_path):
        root = tmp_path.resolve()
        (root / "one").mkdir()
        (root / "two").mkdir()

        found = place_on(
            root / "one", f"../two/{RUNS}/r1/{FIRST}", others=[Workspace("two", str(root / "two"))]
        )

        assert found.place == Place("two", f"{RUNS}/r1/{FIRST}", "r1", FIRST, FIRST)
        assert found.workspace.root == str(root / "two")

    def test_also_through_its_own_links(self, tmp_path):
        root = tmp_path.resolve()
        (root / "one").mkdir()
        (root / "two" / RUNS).mkdir(parents=True)
        (root / "data").mkdir()
        (root / "two" / RUNS / "r1").symlink_to(root / "data")

        found = place_on(root / "one", f"{root}/data/{FIRST}", others=[Workspace("two", str(root / "two"))])

        assert (found.place.workspace, found.place.run_id) == ("two", "r1")


class TestLetterCase:
    @pytest.fixture
    def view(self):
        view = MemoryView(fold=True)
        view.add_file(f"/w/{RUNS}/r1/{FIRST}")
        view.add_dir(f"/w/{RUNS}/r1/locks")
        return view

    @pytest.mark.parametrize(
        ("operand", "rel"),
        [
            (f".Recursive/Run/R1/{FIRST.upper()}", f"{RUNS}/r1/{FIRST}"),
            (f"{RUNS}/r1/08-MEMORY-IMPACT.MD", f"{RUNS}/r1/08-memory-impact.md"),
            (f"{RUNS}/r1/Memory-Injections.json", f"{RUNS}/r1/memory-injections.json"),
            (f"{RUNS}/r1/LOCKS/X.json", f"{RUNS}/r1/locks/X.json"),
            (".recursive/State.MD", ".recursive/STATE.md"),
            (".recursive/CONFIG/x", ".recursive/config/x"),
            (f"{RUNS}/r9/{FIRST}", f"{RUNS}/r9/{FIRST}"),
            ("/W/.recursive/run/r1/notes.md", f"{RUNS}/r1/notes.md"),
        ],
    )
    def test_is_brought_back_to_the_disks_spelling(self, view, operand, rel):
        assert place_on("/w", operand, view=view).place.rel == rel

    def test_a_new_artifact_in_another_spelling_is_that_artifact(self, view):
        assert place_on("/w", f"{RUNS}/r1/01-AS-IS.md", view=view).place.artifact == "01-as-is.md"

    def test_another_spelling_is_another_file_where_case_counts(self):
        view = MemoryView(fold=False)
        view.add_file(f"/w/{RUNS}/r1/{FIRST}")

        assert place_on("/w", f".Recursive/run/r1/{FIRST}", view=view).place.run_id is None
        assert place_on("/w", f"{RUNS}/r1/{FIRST.upper()}", view=view).place.artifact is None

    def test_a_product_file_costs_no_look_for_other_spellings(self, view):
        place_on("/w", "src/a.py", view=view)

        assert not any(path.isupper() for path in view.looked_up)
