"""The disk as target extraction sees it."""

import os

import pytest

from phasegate.errors import FactsUnreadable, ViewExhausted
from phasegate.files import view as module
from phasegate.files.view import DiskView, Looks


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "dir").mkdir()
    (tmp_path / "file").write_text("four")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_tells_what_a_name_is(tree):
    view = DiskView()

    kinds = {name: view.lstat(str(tree / name)).kind for name in ("dir", "file", "link", "pipe")}

    assert kinds == {"dir": "dir", "file": "file", "link": "link", "pipe": "other"}
    status, real = view.lstat(str(tree / "file")), (tree / "file").stat()
    assert (status.dev, status.ino, status.nlink, status.size) == (real.st_dev, real.st_ino, 1, 4)
    assert (status.mtime_ns, status.ctime_ns) == (real.st_mtime_ns, real.st_ctime_ns)


def test_reads_links_and_lists_directories(tree):
    view = DiskView()

    assert view.readlink(str(tree / "link")) == "file"
    assert view.readlink(str(tree / "file")) is None
    assert view.listdir(str(tree)) == ("dir", "file", "link", "pipe")
    assert view.listdir(str(tree / "file")) is None


@pytest.mark.parametrize("name", ["none", "file/below", "x" * 300, "nul\0", "\ud800", "loop/x"])
def test_what_can_not_be_there_is_absent(tree, name):
    (tree / "loop").symlink_to("loop")
    view = DiskView()

    path = f"{tree}/{name}"

    assert view.lstat(path) is None
    assert view.readlink(path) is None
    assert view.listdir(path) is None


def test_one_call_sees_one_state_of_the_disk(tree):
    """A target must not be a product file when it is resolved and an artifact when it is placed."""
    view = DiskView()
    before = view.lstat(str(tree / "file"))
    view.lstat(str(tree / "later"))
    (tree / "file").write_text("changed")
    (tree / "later").write_text("")

    assert view.lstat(str(tree / "file")) is before
    assert view.lstat(str(tree / "later")) is None
    assert DiskView().lstat(str(tree / "later")) is not None


def test_look_ups_are_bounded_and_repetitions_are_free(tree):
    view = DiskView(budget=2)
    for _ in range(5):
        view.lstat(str(tree / "file"))
    view.readlink(str(tree / "link"))

    assert view.spent == 2
    with pytest.raises(ViewExhausted, match="more than 2 look-ups"):
        view.lstat(str(tree / "dir"))


def test_a_large_directory_costs_more_and_has_a_bound(tree, monkeypatch):
    for index in range(130):
        (tree / "dir" / f"{index:03}").write_text("")
    view = DiskView()
    view.listdir(str(tree / "dir"))

    assert view.spent == 3
    monkeypatch.setattr(module, "NAMES", 100)
    with pytest.raises(ViewExhausted, match="more than 100 names"):
        DiskView().listdir(str(tree / "dir"))


def test_the_names_looked_at_are_recorded(tree):
    view = DiskView()
    view.lstat(str(tree / "file"))
    view.readlink(str(tree / "link"))
    view.lstat(str(tree / "file"))

    assert view.looked_at == (str(tree / "file"), str(tree / "link"))


@pytest.mark.parametrize("ask", ["lstat", "readlink", "listdir"])
def test_a_refusal_of_the_system_is_not_absence_and_names_no_path(tree, monkeypatch, ask):
    def denied(*_args):
        raise PermissionError(13, "Permission denied", "/secret/path")

    for name in ("lstat", "readlink", "scandir"):
        monkeypatch.setattr(module.os, name, denied)

    with pytest.raises(FactsUnreadable, match="permission denied") as caught:
        getattr(DiskView(), ask)(str(tree / "file"))
    assert "secret" not in str(caught.value)


def test_home_is_what_it_was_told():
    assert DiskView(home="/home/dev").home() == "/home/dev"
    assert DiskView().home() is None


def test_it_opens_no_file(tree, monkeypatch):
    monkeypatch.setattr(module.os, "open", None)
    view = DiskView()

    assert view.lstat(str(tree / "file")).size == 4
    assert view.listdir(str(tree)) is not None


class TestRealDirectories:
    """One question to the kernel in place of one for each component."""

    def test_is_a_directory_that_no_link_leads_to(self, tree):
        assert DiskView().is_real_directory(str(tree / "dir"))

    @pytest.mark.parametrize("name", ["file", "pipe", "absent", "link"])
    def test_nothing_else_is(self, tree, name):
        assert not DiskView().is_real_directory(str(tree / name))

    def test_a_link_anywhere_on_the_way_is_seen(self, tree):
        (tree / "alias").symlink_to("dir")
        (tree / "dir" / "below").mkdir()

        assert DiskView().is_real_directory(str(tree / "dir" / "below"))
        assert not DiskView().is_real_directory(str(tree / "alias" / "below"))
        assert not DiskView().is_real_directory(f"{tree}/dir/../dir")

    def test_costs_one_look_up(self, tree):
        view = DiskView()
        view.is_real_directory(str(tree / "dir"))
        view.is_real_directory(str(tree / "dir"))

        assert view.spent == 1


class TestSharedLooks:
    """Views of calls that are judged together."""

    def test_a_name_is_looked_up_once_for_all(self, tree):
        looks = Looks()
        first, second = DiskView(looks=looks), DiskView(looks=looks)
        before = first.lstat(str(tree / "file"))
        assert first.is_real_directory(str(tree / "dir"))
        (tree / "file").unlink()
        (tree / "dir").rmdir()

        assert second.lstat(str(tree / "file")) is before
        assert second.is_real_directory(str(tree / "dir"))

    def test_that_nothing_is_there_is_shared_too(self, tree):
        looks = Looks()
        assert DiskView(looks=looks).lstat(str(tree / "later")) is None
        (tree / "later").touch()

        assert DiskView(looks=looks).lstat(str(tree / "later")) is None

    def test_what_others_looked_at_is_not_what_a_view_has_seen(self, tree):
        looks = Looks()
        DiskView(looks=looks).lstat(str(tree / "file"))
        view = DiskView(looks=looks)
        view.lstat(str(tree / "dir"))

        assert view.looked_at == (str(tree / "dir"),)

    def test_a_shared_look_costs_each_the_same(self, tree):
        looks = Looks()
        DiskView(looks=looks).lstat(str(tree / "file"))
        view = DiskView(looks=looks, budget=1)
        view.lstat(str(tree / "file"))

        assert view.spent == 1
        with pytest.raises(ViewExhausted):
            view.lstat(str(tree / "dir"))

    def test_many_are_not_kept(self, tree):
        looks = Looks(limit=1)
        view = DiskView(looks=looks)
        for name in ("file", "dir", "link"):
            view.lstat(str(tree / name))
            view.is_real_directory(str(tree / name))

        assert (len(looks.stats), len(looks.real)) == (1, 1)
        assert view.lstat(str(tree / "dir")).kind == "dir"

    def test_a_refused_look_is_not_shared(self, tree, monkeypatch):
        looks = Looks()

        def refuse(path):
            raise PermissionError(13, "denied", path)

        with monkeypatch.context() as patched:
            patched.setattr(module.os, "lstat", refuse)
            with pytest.raises(FactsUnreadable):
                DiskView(looks=looks).lstat(str(tree / "file"))

        assert DiskView(looks=looks).lstat(str(tree / "file")).kind == "file"
