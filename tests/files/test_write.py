import os
import stat

import pytest

from phasegate.errors import FileRefused
from phasegate.files.directory import Directory
from phasegate.files.write import (
    TEMPORARY_SUFFIX,
    create,
    make_directories,
    move_aside,
    remove,
    replace,
    sweep,
)
from support.disk import Cut, cut_at, moments_of, names

OLD, NEW = b"old\n", b"new text\n"


@pytest.fixture
def root(tmp_path):
    with Directory.open_root(str(tmp_path)) as directory:
        yield directory


def test_replaces_a_file_and_keeps_its_mode(root, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o640)

    replace(root, "a", NEW, limit=100)

    assert path.read_bytes() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_every_cut_leaves_the_old_bytes_or_the_new_ones(root, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(OLD)
    total = len(moments_of(lambda: replace(root, "a", NEW, limit=100)))

    for index in range(1, total + 1):
        path.write_bytes(OLD)
        with pytest.raises(Cut), cut_at(index):
            replace(root, "a", NEW, limit=100)
        assert path.read_bytes() in (OLD, NEW)
        sweep(root)
        assert names(tmp_path) == ["a"]
    assert total >= 10


def test_a_new_file_appears_whole_or_not_at_all(root, tmp_path):
    total = len(moments_of(lambda: create(root, "a", NEW)))

    for index in range(1, total + 1):
        (tmp_path / "a").unlink(missing_ok=True)
        with pytest.raises(Cut), cut_at(index):
            create(root, "a", NEW)
        assert not (tmp_path / "a").exists() or (tmp_path / "a").read_bytes() == NEW


def test_create_never_overwrites(root, tmp_path):
    (tmp_path / "a").write_bytes(OLD)
    (tmp_path / "b").symlink_to("nowhere")

    assert not create(root, "a", NEW)
    assert not create(root, "b", NEW)
    assert (tmp_path / "a").read_bytes() == OLD
    assert names(tmp_path) == ["a", "b"]


def test_keeps_the_times_of_the_directory(root, tmp_path):
    """Which run is the newest is read from these times."""
    os.utime(tmp_path, (1, 1))

    replace(root, "a", NEW, limit=100)
    create(root, "b", NEW)
    make_directories(root, "c/d")
    remove(root, "a")

    assert tmp_path.stat().st_mtime == 1


def test_refuses_to_write_through_a_link(root, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "target").write_bytes(OLD)
    (tmp_path / "file").symlink_to(outside / "target")
    (tmp_path / "dir").symlink_to(outside)

    for rel in ("file", "dir/target", "dir/other"):
        with pytest.raises(FileRefused):
            replace(root, rel, NEW, limit=100)
    with pytest.raises(FileRefused):
        make_directories(root, "dir/sub")
    assert (outside / "target").read_bytes() == OLD
    assert names(outside) == ["target"]


def test_refuses_more_than_the_limit_and_leaves_the_file_alone(root, tmp_path):
    (tmp_path / "a").write_bytes(OLD)

    with pytest.raises(FileRefused, match="over 3 bytes"):
        replace(root, "a", NEW, limit=3)
    assert (tmp_path / "a").read_bytes() == OLD


def test_moves_a_link_aside_as_a_link(root, tmp_path):
    (tmp_path / "a").symlink_to("/etc/passwd")

    aside = move_aside(root, "a")

    assert (tmp_path / aside).is_symlink()
    assert not (tmp_path / "a").is_symlink()


def test_sweep_removes_only_our_temporaries(root, tmp_path):
    (tmp_path / f".a.00000000{TEMPORARY_SUFFIX}").touch()
    (tmp_path / "keep.tmp").touch()

    assert sweep(root) == 1
    assert names(tmp_path) == ["keep.tmp"]


def test_removing_what_is_not_there_is_no_error(root):
    assert not remove(root, "a")
    assert not remove(root, "none/a")
