import os

import pytest

from phasegate.errors import FileRefused
from phasegate.files.directory import Directory, components


@pytest.fixture
def root(tmp_path):
    with Directory.open_root(str(tmp_path)) as directory:
        yield directory


@pytest.mark.parametrize("rel", ["/etc/passwd", "../x", "a/../../x", "a\0b", "a\\b"])
def test_refuses_a_path_that_leaves_its_directory(rel):
    with pytest.raises(FileRefused):
        components(rel)


def test_reads_a_plain_file_and_says_none_for_a_missing_one(root, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.md").write_bytes(b"text")

    assert root.read("sub/a.md", 10) == b"text"
    assert root.read("sub/b.md", 10) is None
    assert root.read("none/b.md", 10) is None


def test_refuses_a_file_over_the_limit(root, tmp_path):
    (tmp_path / "big").write_bytes(b"12345")

    with pytest.raises(FileRefused, match="over"):
        root.read("big", 4)


def test_refuses_a_linked_file_and_a_linked_directory(root, tmp_path):
    """A link is how a name inside the workspace comes to mean a file outside it."""
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    (tmp_path / "file").symlink_to(outside / "secret")
    (tmp_path / "dir").symlink_to(outside)

    for rel in ("file", "dir/secret"):
        with pytest.raises(FileRefused):
            root.read(rel, 100)


def test_refuses_a_pipe_without_hanging(root, tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(FileRefused, match="not a regular file"):
        root.read("pipe", 100)


def test_lists_names_in_byte_order_and_says_when_there_were_more(root, tmp_path):
    for name in ("b", "a", "Z", "é"):
        (tmp_path / name).touch()

    entries, over = root.entries(10)
    assert [entry.name for entry in entries] == ["Z", "a", "b", "é"]
    assert not over
    assert root.entries(2)[1]
