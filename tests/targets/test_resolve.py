"""Following links the way the kernel does decides which file a spelled path names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from phasegate.core.ports import FileStat
from phasegate.errors import ViewExhausted
from phasegate.targets.resolve import readings, resolve
from support.memory_view import MemoryView


@pytest.fixture
def view() -> MemoryView:
    disk = MemoryView()
    disk.add_file("/repo/run/r1/a.md")
    disk.add_dir("/repo/src")
    disk.add_link("/repo/alias", "run/r1")
    disk.add_link("/repo/to-a", "/repo/run/r1/a.md")
    disk.add_link("/repo/dangling", "run/r1/new.md")
    disk.add_link("/repo/one", "two")
    disk.add_link("/repo/two", "one")
    disk.add_link("/outside", "/repo/run")
    return disk


@pytest.mark.parametrize(
    ("operand", "path", "plain"),
    [
        ("run/r1/a.md", "/repo/run/r1/a.md", "/repo/run/r1/a.md"),
        ("/repo/run//r1/./a.md", "/repo/run/r1/a.md", "/repo/run/r1/a.md"),
        ("run/r1/a.md/.", "/repo/run/r1/a.md", "/repo/run/r1/a.md"),
        ("run/r1/a.md/", "/repo/run/r1/a.md", "/repo/run/r1/a.md"),
        ("alias/a.md", "/repo/run/r1/a.md", "/repo/alias/a.md"),
        ("alias/../r1/a.md", "/repo/run/r1/a.md", "/repo/r1/a.md"),
        ("alias/new/deep.md", "/repo/run/r1/new/deep.md", "/repo/alias/new/deep.md"),
        ("to-a", "/repo/run/r1/a.md", "/repo/to-a"),
        ("dangling", "/repo/run/r1/new.md", "/repo/dangling"),
        ("/outside/r1/a.md", "/repo/run/r1/a.md", "/outside/r1/a.md"),
        ("missing/../run/r1/a.md", "/repo/run/r1/a.md", "/repo/run/r1/a.md"),
        ("missing/../alias/a.md", "/repo/run/r1/a.md", "/repo/alias/a.md"),
        ("../../../etc/x", "/etc/x", "/etc/x"),
        ("//repo/run/r1/a.md", "/repo/run/r1/a.md", "/repo/run/r1/a.md"),
        ("C:/repo/x", "/repo/C:/repo/x", "/repo/C:/repo/x"),
        ("", "/repo", "/repo"),
        (".", "/repo", "/repo"),
        ("/", "/", "/"),
    ],
)
def test_names_the_file_behind_every_spelling(view, operand, path, plain):
    found = resolve(view, "/repo", operand)

    assert (found.path, found.lexical) == (path, plain)


def test_keeps_a_last_link_when_the_operation_works_on_the_link(view):
    assert resolve(view, "/repo", "to-a", follow_last=False).path == "/repo/to-a"
    assert resolve(view, "/repo", "alias", follow_last=False).path == "/repo/alias"
    assert resolve(view, "/repo", "alias/a.md", follow_last=False).path == "/repo/run/r1/a.md"


@pytest.mark.parametrize("operand", ["alias/", "alias/.", "alias//"])
def test_follows_a_last_link_before_a_slash(view, operand):
    """`rm -r link/` empties what the link points to."""
    assert resolve(view, "/repo", operand, follow_last=False).path == "/repo/run/r1"


def test_resolves_the_links_of_the_base_directory(view):
    assert resolve(view, "/repo/alias", "a.md").path == "/repo/run/r1/a.md"
    assert resolve(view, "/repo/alias", "../x").path == "/repo/run/x"


@pytest.mark.parametrize("operand", ["one", "one/x", "two/../run"])
def test_gives_a_loop_of_links_back_as_spelled(view, operand):
    found = resolve(view, "/repo", operand)

    assert found.path == found.lexical


@pytest.mark.parametrize(
    "operand", ["a\0b", "x" * 5000, "\ud800", "a\nb", "a\tb", "../" * 1400, "é", "/" * 4000]
)
def test_survives_odd_operands(view, operand):
    found = resolve(view, "/repo", operand)

    assert found.path.startswith("/")
    assert found.lexical.startswith("/")


def test_a_path_that_cannot_exist_is_not_looked_up(view):
    resolve(view, "/repo", "run/a\0b")
    resolve(view, "/repo", "y" * 5000)

    assert view.looked_up == []


def test_bounds_the_links_of_a_long_chain():
    disk = MemoryView()
    for index in range(60):
        disk.add_link(f"/d/l{index}", f"l{index + 1}")
    disk.add_file("/d/l60")

    assert resolve(disk, "/d", "l0").path == "/d/l0"
    assert resolve(disk, "/d", "l25").path == "/d/l60"


def test_bounds_links_that_multiply():
    """Each link doubles the work of the one before; the bound is on links followed, not on depth."""
    disk = MemoryView()
    disk.add_dir("/d/l0")
    for index in range(1, 30):
        disk.add_link(f"/d/l{index}", f"l{index - 1}/../l{index - 1}")
    resolve(disk, "/d", "l29")

    assert len(disk.looked_up) < 300


@pytest.mark.parametrize("start", ["self", "thread-self", "1234", "self/task/77"])
def test_process_links_mean_the_judged_program(view, start):
    """Following them for real would answer with this service's own directory."""
    assert resolve(view, "/repo", f"/proc/{start}/cwd/run/r1/a.md").path == "/repo/run/r1/a.md"
    assert resolve(view, "/repo", f"/proc/{start}/root/repo/alias/a.md").path == "/repo/run/r1/a.md"


def test_stops_looking_below_a_missing_name(view):
    resolve(view, "/repo", "nope/a/b/c/d")

    assert view.looked_up == ["/repo", "/repo/nope"]


def test_passes_on_a_spent_budget():
    disk = MemoryView(budget=1)
    disk.add_dir("/a/b/c")
    with pytest.raises(ViewExhausted):
        resolve(disk, "/a", "b/c/d")


@pytest.mark.parametrize(
    ("operand", "path"),
    [
        ("C:\\w\\run\\A.md", "C:/w/run/A.md"),
        ("c:/w/run/A.md", "C:/w/run/A.md"),
        ("\\\\?\\C:\\w\\run\\A.md", "C:/w/run/A.md"),
        ("//./C:/w/run/A.md", "C:/w/run/A.md"),
        ("\\??\\C:\\w\\run\\A.md", "C:/w/run/A.md"),
        ("\\\\?\\UNC\\srv\\share\\x", "//srv/share/x"),
        ("\\\\srv\\share\\a\\..\\x", "//srv/share/x"),
        ("\\\\srv\\share\\..\\..\\x", "//srv/share/x"),
        ("/w/run/A.md", "C:/w/run/A.md"),
        ("/c/w/run/A.md", "C:/w/run/A.md"),
        ("run\\A.md::$DATA", "C:/w/run/A.md"),
        ("run/A.md:stream", "C:/w/run/A.md"),
        ("run/A.md. .", "C:/w/run/A.md"),
        ("run./A.md", "C:/w/run/A.md"),
        ("run/.../A.md", "C:/w/run/A.md"),
        ("..\\..\\..\\x", "C:/x"),
        ("D:x", "D:/x"),
        ("alias\\A.md", "C:/w/run/A.md"),
        ("far/x", "D:/data/x"),
    ],
)
def test_follows_windows_rules_below_a_windows_base(operand, path):
    disk = MemoryView(fold=True, home="C:\\Users\\dev")
    disk.add_file("C:/w/run/A.md")
    disk.add_link("C:/w/alias", ".\\run")
    disk.add_link("C:/w/far", "D:\\data")

    assert resolve(disk, "c:\\w", operand).path == path


def test_agrees_with_the_kernel_on_a_real_tree(tmp_path):
    class Disk:
        def lstat(self, path: str) -> FileStat | None:
            try:
                os.lstat(path)
            except OSError:
                return None
            kind = "link" if Path(path).is_symlink() else "dir" if Path(path).is_dir() else "file"
            return FileStat(kind, 0, 0, 1, 0, 0, 0)

        def readlink(self, path: str) -> str | None:
            return os.readlink(path)  # noqa: PTH115 (the text of the link as it stands)

        def listdir(self, _path: str) -> tuple[str, ...] | None:
            return None

        def signature(self, path: str) -> FileStat | None:
            return self.lstat(path)

        def is_real_directory(self, path: str) -> bool:
            return Path(path).is_dir() and os.path.realpath(path) == path

        def home(self) -> str | None:
            return None

    root = Path(os.path.realpath(tmp_path))
    (root / "a/b").mkdir(parents=True)
    (root / "c").mkdir()
    (root / "c/up").symlink_to("../a/b")
    (root / "c/abs").symlink_to(root / "c/up")
    (root / "a/b/back").symlink_to("../../c")
    for operand in ["c/up/x", "c/up/../y", "c/abs/../z", "a/b/back/abs/../q", "c/up/back/up/f", "no/../c/up"]:
        kernel = os.path.realpath(root / operand)

        assert resolve(Disk(), str(root), operand).path == kernel


def test_both_readings_of_dots_after_a_link_count(view):
    """Many tools remove `..` from the text before they open the file."""
    view.add_link("/repo/src/out", "/elsewhere")
    found = readings(view, "/repo", "src/out/../../alias/a.md")

    assert [place.path for place in found] == ["/alias/a.md", "/repo/run/r1/a.md"]


def test_a_plain_path_has_one_reading(view):
    assert len(readings(view, "/repo", "../repo/run/r1/a.md")) == 1
    assert len(readings(view, "/repo", "alias/a.md")) == 1
