"""The files that a unified difference names."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.programs.difftext import changed_files

HUNK = "@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("text", "strip", "files"),
    [
        (f"--- a/x\n+++ b/x\n{HUNK}", 1, [("x", False)]),
        (f"--- a/d/x\n+++ b/d/x\n{HUNK}", 2, [("x", False)]),
        (f"--- a/x\n+++ b/x\n{HUNK}", 0, [("b/x", False), ("a/x", False)]),
        (f"--- x\t2020-01-01\n+++ x\t2020-01-01\n{HUNK}", 0, [("x", False)]),
        (f"--- a/x\n+++ b/x\n{HUNK}--- a/y\n+++ b/y\n{HUNK}", 1, [("x", False), ("y", False)]),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 1, [("x", True)]),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", 1, [("x", False)]),
        (f"--- a/x\n+++ b/y\n{HUNK}", 1, [("y", False), ("x", False)]),
        ('--- "a/x y"\n+++ "b/x y"\n' + HUNK, 1, [("x y", False)]),
        ("diff --git a/x b/y\nrename from x\nrename to y\n", 1, [("y", False), ("x", True)]),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", 1, [("x", False)]),
        ("diff --git a/x b/x\nnew file mode 100644\n", 1, [("x", False)]),
        ("diff --git a/x b/y\ncopy from x\ncopy to y\n", 1, [("y", False)]),
        ("", 1, []),
        ("just prose\n", 1, []),
        (f"--- x\n+++ x\n{HUNK}", 5, [("x", False)]),
    ],
)  # fmt: skip
def test_names(text, strip, files):
    assert changed_files(text, strip) == files


def test_a_removed_line_that_looks_like_a_header_is_none():
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/no\n+++ b/no\n c\n"

    assert changed_files(text, 1) == [("x", False)]


def test_a_header_behind_a_hunk_is_one_again():
    text = f"--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n--- a/y\n+++ b/y\n{HUNK}"

    assert [name for name, _ in changed_files(text, 1)] == ["x", "y"]


@pytest.mark.parametrize("header", ["@@ -1,99999999999 +1 @@", "@@ x @@", "@@ -,+, @@", "@@"])
def test_an_odd_hunk_hides_no_file(header):
    assert "y" in {
        name for name, _ in changed_files(f"--- a/x\n+++ b/x\n{header}\n-a\n+b\n--- a/y\n+++ b/y\n{HUNK}", 1)
    }
