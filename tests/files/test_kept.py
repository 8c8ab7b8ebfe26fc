"""Directories kept open."""

import os

import pytest

from phasegate.files.kept import (
    dangling_link,
    directories_in,
    directory_identity,
    directory_signature,
    file_identities,
    linked_names,
    open_directory,
    real_path,
)
from phasegate.files.read import ABSENT, KIB, Refused, watch_opens


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "sub").mkdir()
    opened = open_directory(str(tmp_path))
    yield opened
    opened.close()


def test_reads_and_opens_below_itself_without_following_links(directory, tmp_path):
    (tmp_path / "aside").symlink_to("sub")

    assert directory.read("a", KIB).data == b"x"
    assert directory.read("link", KIB) == Refused("a link")
    below = directory.open_directory("sub")
    assert below.identity == directory_identity(str(tmp_path / "sub"))
    below.close()
    assert directory.open_directory("aside") == Refused("not a directory")
    assert directory.open_directory("a") == Refused("not a directory")
    assert directory.open_directory("none") is ABSENT


def test_it_stays_the_directory_that_was_opened(directory, tmp_path):
    """So its path has to be compared: writes go to whatever is there now."""
    moved = tmp_path.with_name("moved")
    tmp_path.rename(moved)
    tmp_path.mkdir()

    assert directory.read("a", KIB).data == b"x"
    assert directory.identity != directory_identity(str(tmp_path))


def test_identity_tells_absence_and_other_kinds(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(".")

    assert directory_identity(str(tmp_path / "none")) is ABSENT
    assert directory_identity(str(tmp_path / "file")) == Refused("not a directory")
    assert directory_identity(str(tmp_path / "link")) == directory_identity(str(tmp_path))
    assert directory_signature(str(tmp_path / "none")) is None
    assert directory_signature(str(tmp_path))[:2] == directory_identity(str(tmp_path))


def test_opening_is_told_to_watchers(tmp_path):
    with watch_opens() as opened:
        open_directory(str(tmp_path)).close()
        open_directory(str(tmp_path / "none"))

    assert opened == [f"{tmp_path}/"]


def test_directories_are_listed_with_those_behind_links(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "run").mkdir()
    (tmp_path / "linked").symlink_to("run")
    (tmp_path / "dangling").symlink_to("nowhere")

    found = {entry.name: entry.linked for entry in directories_in(str(tmp_path), 100)}

    assert found == {"run": False, "linked": True}
    assert directories_in(str(tmp_path / "none"), 100) == ()
    assert len(directories_in(str(tmp_path), 0)) == 0
    assert linked_names(str(tmp_path), 100) == ("dangling", "linked")
    assert linked_names(str(tmp_path / "none"), 100) == ()
    assert linked_names(str(tmp_path), 1) == Refused("holding more than 1 links", system=True)


def test_identities_of_files(tmp_path):
    (tmp_path / "a").write_text("")
    os.link(tmp_path / "a", tmp_path / "b")
    status = (tmp_path / "a").stat()

    assert file_identities(str(tmp_path), ("a", "none")) == {(status.st_dev, status.st_ino): "a"}


def test_dangling_links_are_told_from_absence(tmp_path):
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "fine").symlink_to(".")

    assert dangling_link(str(tmp_path / "dangling"))
    assert not dangling_link(str(tmp_path / "fine"))
    assert not dangling_link(str(tmp_path / "none"))
    assert not dangling_link("nul\0")


def test_real_paths_survive_odd_names(tmp_path):
    (tmp_path / "link").symlink_to("target")

    assert real_path(str(tmp_path / "link" / "x")) == str(tmp_path.resolve() / "target" / "x")
    assert real_path("/a\0b") == "/a\0b"
