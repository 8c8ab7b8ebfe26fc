"""Which workspace a call belongs to, and which one owns a path."""

import pytest

from phasegate.errors import FactsUnreadable, WorkspaceNotServed, WorkspaceRequired
from phasegate.files import view as view_module
from phasegate.workspace.locate import Workspace, Workspaces
from support.memory_view import MemoryView


@pytest.fixture
def disk(tmp_path):
    """Two repositories, one with a worktree, a package and a fixture tree inside; a plain directory."""
    for path in (
        "one/.recursive/run/r1",
        "one/src/deep",
        "one/.worktrees/w/.recursive",
        "one/.worktrees/w/src",
        "one/tests/fixtures/.recursive/run/x",
        "two/src",
        "plain/src",
    ):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "one/.worktrees/w/.git").write_text("gitdir: elsewhere\n")
    return tmp_path.resolve()


def serving(disk, *names):
    return Workspaces([Workspace(name, str(disk / name)) for name in names])


def located(workspaces, workspace=None, cwd=None):
    found = workspaces.locate(workspace and str(workspace), cwd and str(cwd))
    return found.name, found.root


class TestByWorkingDirectory:
    @pytest.mark.parametrize(
        "cwd", ["one", "one/src", "one/src/deep", "one/not/yet/made", "one/.recursive/run"]
    )
    def test_the_nearest_directory_with_a_control_directory(self, disk, cwd):
        assert located(serving(disk, "one", "two"), cwd=disk / cwd) == ("one", str(disk / "one"))

    def test_without_any_the_served_root_above(self, disk):
        assert located(serving(disk, "one", "two"), cwd=disk / "two/src") == ("two", str(disk / "two"))

    def test_a_worktree_inside_is_a_workspace_of_its_own_with_the_served_policy(self, disk):
        found = serving(disk, "one").locate(None, str(disk / "one/.worktrees/w/src"))

        assert (found.name, found.root) == ("one/.worktrees/w", str(disk / "one/.worktrees/w"))
        assert found.derived
        assert found.policy_root == str(disk / "one")

    def test_a_link_is_followed_first(self, disk):
        (disk / "alias").symlink_to("one/src")

        assert located(serving(disk, "one", "two"), cwd=disk / "alias") == ("one", str(disk / "one"))

    def test_a_control_directory_that_is_a_link_counts(self, disk):
        (disk / "two/.recursive").symlink_to(disk / "one/.recursive")

        found = serving(disk, "one", "two").locate(None, str(disk / "two/src"))

        assert found.root == str(disk / "two")

    def test_a_control_file_does_not_count(self, disk):
        (disk / "one/src/.recursive").write_text("")

        assert located(serving(disk, "one"), cwd=disk / "one/src")[0] == "one"

    def test_a_control_directory_above_the_served_root_is_not_looked_at(self, disk):
        (disk / ".recursive").mkdir()

        assert located(serving(disk, "two"), cwd=disk / "two/src") == ("two", str(disk / "two"))

    def test_outside_of_the_only_served_one_it_is_that_one(self, disk):
        assert located(serving(disk, "one"), cwd=disk / "plain") == ("one", str(disk / "one"))
        assert located(serving(disk, "one")) == ("one", str(disk / "one"))

    def test_outside_of_several_one_has_to_be_named(self, disk):
        for cwd in (None, disk / "plain", "relative"):
            with pytest.raises(WorkspaceRequired):
                located(serving(disk, "one", "two"), cwd=cwd)

    def test_a_served_root_inside_another_is_its_own(self, disk):
        workspaces = Workspaces(
            [Workspace("one", str(disk / "one")), Workspace("pkg", str(disk / "one/src"))]
        )

        assert located(workspaces, cwd=disk / "one/src/deep")[0] == "pkg"
        assert located(workspaces, cwd=disk / "one")[0] == "one"

    def test_a_neighbour_with_the_same_beginning_is_another_directory(self, disk):
        (disk / "one-more").mkdir()

        assert not serving(disk, "one").serves(str(disk / "one-more"))
        assert serving(disk, "one").serves(str(disk / "one/src"))


class TestExplicit:
    def test_a_directory_below_is_raised_to_the_workspace(self, disk):
        assert located(serving(disk, "one"), workspace=disk / "one/src/deep")[0] == "one"

    @pytest.mark.parametrize("workspace", ["plain", "", "../one"])
    def test_what_is_not_served_is_refused(self, disk, workspace):
        with pytest.raises(WorkspaceNotServed):
            located(serving(disk, "one"), workspace=disk / workspace)

    def test_a_relative_path_is_refused(self, disk):
        with pytest.raises(WorkspaceNotServed):
            serving(disk, "one").locate("one", None)

    def test_it_wins_over_the_working_directory(self, disk):
        assert located(serving(disk, "one", "two"), disk / "two", disk / "one")[0] == "two"


class TestOwner:
    def owner(self, disk, path, near=None, names=("one", "two")):
        workspaces = serving(disk, *names)
        near = workspaces.locate(str(disk / near), None) if near else None
        found = workspaces.owner(str(disk / path), near=near)
        return found and found.name

    def test_is_the_served_workspace_that_holds_the_path(self, disk):
        assert self.owner(disk, "one/src/new.py") == "one"
        assert self.owner(disk, "two") == "two"
        assert self.owner(disk, "plain/x") is None
        assert self.owner(disk, "") is None

    def test_a_control_directory_among_fixtures_guards_nothing(self, disk):
        assert self.owner(disk, "one/tests/fixtures/.recursive/run/x/a.md") == "one"

    def test_a_checkout_inside_owns_its_files_from_everywhere(self, disk):
        path = "one/.worktrees/w/.recursive/run/r1/a.md"

        assert self.owner(disk, path) == "one/.worktrees/w"
        assert self.owner(disk, path, near="two") == "one/.worktrees/w"

    def test_the_calls_own_workspace_counts_also_when_it_is_derived(self, disk):
        near = "one/tests/fixtures"

        assert self.owner(disk, f"{near}/x", near=near) == near
        assert self.owner(disk, "one/src/x", near=near) == "one"


class TestNames:
    def test_by_name(self, disk):
        workspaces = serving(disk, "one", "two")

        assert workspaces.by_name("two").root == str(disk / "two")
        assert workspaces.by_name("one/.worktrees/w").root == str(disk / "one/.worktrees/w")

    @pytest.mark.parametrize(
        "name",
        ["three", "", "one/", "one/..", "one/../two", "one/src", "/one", "one/\0", "one/./.worktrees/w"],
    )
    def test_unknown_names_are_refused(self, disk, name):
        with pytest.raises(WorkspaceNotServed):
            serving(disk, "one", "two").by_name(name)

    def test_no_name_is_the_only_one(self, disk):
        assert serving(disk, "one").by_name(None).name == "one"
        with pytest.raises(WorkspaceRequired):
            serving(disk, "one", "two").by_name(None)

    def test_all(self, disk):
        assert [item.name for item in serving(disk, "one", "two").all()] == ["one", "two"]


class TestTree:
    @pytest.fixture
    def workspaces(self, disk):
        (disk / "group/three/.recursive").mkdir(parents=True)
        return Workspaces([], str(disk))

    def test_every_directory_with_a_control_directory_is_served_by_its_relative_path(self, disk, workspaces):
        assert located(workspaces, cwd=disk / "one/src") == ("one", str(disk / "one"))
        assert located(workspaces, cwd=disk / "group/three") == ("group/three", str(disk / "group/three"))
        assert located(workspaces, workspace=disk / "group/three/x")[0] == "group/three"

    def test_others_are_not(self, disk, workspaces):
        with pytest.raises(WorkspaceNotServed):
            located(workspaces, workspace=disk / "two")
        with pytest.raises(WorkspaceRequired):
            located(workspaces, cwd=disk / "two/src")
        assert workspaces.owner(str(disk / "two/x")) is None
        assert not workspaces.serves(str(disk))

    def test_one_that_is_made_later_is_served_then(self, disk, workspaces):
        (disk / "two/.recursive").mkdir()

        assert located(workspaces, cwd=disk / "two/src")[0] == "two"

    def test_the_outermost_one_owns_what_lies_in_it(self, disk, workspaces):
        assert workspaces.owner(str(disk / "one/tests/fixtures/.recursive/run/x/a.md")).name == "one"

    def test_a_derived_one_has_the_policy_of_the_outermost(self, disk, workspaces):
        found = workspaces.locate(None, str(disk / "one/.worktrees/w"))

        assert (found.name, found.policy_root) == ("one/.worktrees/w", str(disk / "one"))
        assert workspaces.served_above(found).name == "one"

    def test_names_and_listing(self, disk, workspaces):
        assert workspaces.by_name("group/three").root == str(disk / "group/three")
        assert {item.name for item in workspaces.all()} == {"one", "group/three"}
        for name in ("two", "..", "../" + disk.name):
            with pytest.raises(WorkspaceNotServed):
                workspaces.by_name(name)

    def test_listing_passes_over_what_it_may_not_read(self, workspaces, monkeypatch):
        def denied(_path):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(view_module.os, "scandir", denied)

        assert workspaces.all() == ()


class TestServedAbove:
    def test_a_workspace_served_by_name_is_its_own(self, disk):
        workspaces = serving(disk, "one")
        derived = workspaces.locate(None, str(disk / "one/.worktrees/w"))

        assert workspaces.served_above(workspaces.by_name("one")).name == "one"
        assert workspaces.served_above(derived) == workspaces.by_name("one")


class TestLetterCase:
    """On a volume that ignores letter case another spelling of the root is the same directory."""

    def view(self, *, fold):
        view = MemoryView(fold=fold)
        view.add_dir("/srv/Repo/.recursive")
        return view

    def test_is_ignored_where_the_volume_ignores_it(self):
        workspaces = Workspaces([Workspace("repo", "/srv/Repo")])
        view = self.view(fold=True)

        assert workspaces.locate("/srv/repo/src", None, view).name == "repo"
        assert workspaces.respelled("/SRV/REPO/x/Y", view) == "/srv/Repo/x/Y"

    def test_counts_where_it_counts(self):
        workspaces = Workspaces([Workspace("repo", "/srv/Repo")])
        view = self.view(fold=False)

        with pytest.raises(WorkspaceNotServed):
            workspaces.locate("/srv/repo/src", None, view)
        assert workspaces.respelled("/SRV/REPO/x", view) == "/SRV/REPO/x"


class TestRefusals:
    """The service may not be allowed to look where the agent works."""

    @pytest.fixture(autouse=True)
    def denied(self, monkeypatch):
        def denied(_path):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(view_module.os, "lstat", denied)

    def test_leave_the_served_root_above(self, disk):
        workspaces = serving(disk, "one", "two")

        assert located(workspaces, cwd=disk / "one/src") == ("one", str(disk / "one"))
        assert located(workspaces, workspace=disk / "two/src/..")[0] == "two"
        assert workspaces.serves(str(disk / "one"))
        assert not workspaces.serves(str(disk / "plain"))

    def test_are_told_where_a_target_is_placed(self, disk):
        with pytest.raises(FactsUnreadable):
            serving(disk, "one").owner(str(disk / "one/x/.recursive/y"))

    def test_hide_a_tree(self, disk):
        with pytest.raises(WorkspaceNotServed):
            Workspaces([], str(disk)).locate(str(disk / "one"), None)
