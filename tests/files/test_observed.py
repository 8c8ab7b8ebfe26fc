"""What one call saw of the disk, compared with the disk later."""

from __future__ import annotations

import errno
import os
import shutil

import pytest

from phasegate.errors import FactsUnreadable
from phasegate.files.observed import Observed
from phasegate.files.view import DiskView


@pytest.fixture
def tree(tmp_path):
    top = tmp_path.resolve() / "top"
    (top / "dir/deep").mkdir(parents=True)
    (top / "dir/file").write_text("four")
    (top / "link").symlink_to("dir")
    return top


def seen(tree):
    """A look at every kind of thing."""
    view = DiskView()
    assert view.is_real_directory(str(tree / "dir/deep"))
    assert not view.is_real_directory(str(tree / "link"))
    view.signature(str(tree / "dir"))
    for name in ("dir", "dir/file", "link", "none"):
        view.lstat(str(tree / name))
    view.readlink(str(tree / "link"))
    found = view.observed()
    assert found is not None
    return found


def test_holds_while_nothing_changes(tree):
    assert seen(tree).holds()


def test_what_a_file_says_is_no_matter(tree):
    found = seen(tree)
    (tree / "dir/file").write_text("another text")

    assert found.holds()


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: (tree / "none").write_text("x"),
        lambda tree: (tree / "none").symlink_to("dir"),
        lambda tree: (tree / "dir/file").unlink(),
        lambda tree: os.link(tree / "dir/file", tree / "twin"),
        lambda tree: ((tree / "link").unlink(), (tree / "link").symlink_to("dir/deep")),
        lambda tree: ((tree / "link").unlink(), (tree / "link").mkdir()),
        lambda tree: (tree / "dir/another").write_text("x"),
        lambda tree: (tree / "dir/deep").rename(tree / "dir/deeper"),
        lambda tree: (tree / "dir").rename(tree / "other"),
        lambda tree: ((tree / "dir").rename(tree / "other"), (tree / "dir").symlink_to("other")),
        shutil.rmtree,
    ],
)
def test_a_change_is_noticed(tree, change):
    found = seen(tree)
    change(tree)

    assert not found.holds()


def test_a_real_directory_speaks_for_those_above_it(tree):
    found = seen(tree)

    assert found.real == (str(tree / "dir/deep"),)
    assert str(tree / "dir") not in dict(found.kinds)


def test_a_file_with_a_second_name_a_pipe_and_a_listing_are_not_comparable(tree):
    os.link(tree / "dir/file", tree / "twin")
    os.mkfifo(tree / "pipe")
    for look in (
        lambda view: view.lstat(str(tree / "twin")),
        lambda view: view.lstat(str(tree / "pipe")),
        lambda view: view.readlink(str(tree / "dir")),
        lambda view: view.listdir(str(tree)),
    ):
        view = DiskView()
        look(view)
        assert view.observed() is None


def test_odd_paths_never_raise(tree):
    assert not Observed(kinds=(("/a\0b", 0),)).holds()
    assert not Observed(links=((str(tree / "dir"), "x"),)).holds()
    assert not Observed(signed=((str(tree / "none"), 1, 1, 1, 1, 1),)).holds()
    assert not Observed(kinds=((f"{tree}/dir/file/below", 0),)).holds()


@pytest.mark.parametrize("look", ["lstat", "readlink"])
def test_a_look_that_was_refused_can_not_be_compared(tree, monkeypatch, look):
    """The caller may have gone on without it."""
    view = DiskView()
    view.lstat(str(tree / "dir"))

    def refuse(_path):
        raise PermissionError(errno.EACCES, "no")

    with monkeypatch.context() as patched:
        patched.setattr(os, look, refuse)
        with pytest.raises(FactsUnreadable):
            getattr(view, look)(str(tree / "dir/file"))

    assert view.observed() is None
