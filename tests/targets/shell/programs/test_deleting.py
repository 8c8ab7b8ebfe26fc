"""Deletions: what is lost, with all below it, and where an unknown operand must lie."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("rm a.txt", ["delete a.txt"]),
        ("rm -f -- a.txt b.md", ["delete a.txt", "delete b.md"]),
        ("rm -rf docs", ["delete* docs"]),
        ("rm -fr docs/", ["delete* docs"]),
        ("rm a.txt -r docs", ["delete a.txt", "delete* docs"]),
        ("rm --recurs docs", ["delete* docs"]),
        ("rm link.md", ["delete link.md"]),
        ("rm -r linked", ["delete linked"]),
        ("rm -rf linked/", ["delete* docs"]),
        ("rm -rf .", ["delete* /repo"]),
        ("rm -rf missing", ["delete missing"]),
        ("rmdir empty", ["delete empty"]),
        ("rmdir -p docs/sub/z/", ["delete docs/sub/z", "delete docs/sub", "delete docs"]),
        ("gio trash -f a.txt", ["delete a.txt"]),
        ("gio remove a.txt", ["delete a.txt"]),
        ("gio info a.txt", []),
        ("rm -i a.txt; rm *.txt", ["delete a.txt"]),
        ("rm -i a.txt; cp *.txt docs", ["delete a.txt", "write docs/a.txt"]),
        ("rmdir docs; cp -r docs q", ["delete docs", "write* q"]),
        ("rm docs; cp -r docs q", ["delete docs", "write* q"]),
        ("rm -d docs; cp -r docs q", ["delete docs", "write* q"]),
        ("rm -d empty; touch empty", ["delete empty", "write empty"]),
        ("unlink a.txt", ["delete a.txt"]),
        ("shred a.txt", ["write a.txt"]),
        ("shred -u a.txt", ["delete a.txt"]),
        ("trash docs", ["delete* docs"]),
        ("npx -y rimraf docs", ["delete* docs"]),
        ("/bin/rm a.txt", ["delete a.txt"]),
        ("\\rm a.txt", ["delete a.txt"]),
        ("busybox rm a.txt", ["delete a.txt"]),
    ],
)
def test_what_is_deleted(text, targets):
    assert touched(text) == targets


def test_an_unknown_name_below_a_known_directory_endangers_that_directory():
    assert extracted("rm -rf out/$X").opaque[0].destroys == ("/repo/out",)
    assert extracted('rm -rf docs/"$X"/*').opaque[0].destroys == ("/repo/docs",)


def test_an_unknown_place_endangers_nothing_in_particular():
    assert extracted('rm -rf "$X"/*').opaque[0].destroys == ()


def test_asking_changes_nothing():
    assert is_clean("rm --help")
    assert is_clean("rm --version | head -1")


def test_a_script_of_the_project_is_not_the_program_of_that_name():
    assert is_opaque("./rm a.txt")
    assert touched("./rm a.txt") == []
