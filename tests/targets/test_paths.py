"""One file has many spellings; each has to come out as the same operand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.targets.paths import (
    absolute,
    components,
    has_drive,
    is_windows,
    lexical,
    normalise,
    relative_to,
    same_path,
    split_root,
)


@pytest.mark.parametrize(
    ("typed", "operand"),
    [
        ("a/b.md", "a/b.md"),
        ("  a/b.md\n", "a/b.md"),
        ("a\\b.md", "a/b.md"),
        ("~", "/home/dev"),
        ("~/x", "/home/dev/x"),
        ("~\\x", "/home/dev/x"),
        ("~dev/x", "/home/dev/x"),
        ("~root/x", "~root/x"),
        ("a/~/x", "a/~/x"),
        ("file:///repo/a.md", "/repo/a.md"),
        ("FILE:///repo/a.md", "/repo/a.md"),
        ("file://localhost/repo/a%20b.md", "/repo/a b.md"),
        ("file:/repo/a.md", "/repo/a.md"),
        ("file:a.md", "a.md"),
        ("file:///repo/%2e%2e/a.md", "/repo/../a.md"),
        ("file:///repo/a.md#L10", "/repo/a.md"),
        ("file:///repo/a.md?x=1", "/repo/a.md"),
        ("file://a/b.md", "a/b.md"),
        ("file://C:/repo/a.md", "C:/repo/a.md"),
        ("file:", ""),
        ("https://example.test/a", ""),
        ("HTTP://example.test/a", ""),
        ("", ""),
        ("   ", ""),
        ("C:\\w\\x", "C:/w/x"),
        ("a:b", "a:b"),
    ],
)
def test_reads_one_spelling_on_posix(typed, operand):
    assert normalise(typed, base="/repo", home="/home/dev") == operand


@pytest.mark.parametrize(
    ("typed", "operand"),
    [
        ("file:///C:/w/a.md", "C:/w/a.md"),
        ("file:///c%3A/w/a.md", "c:/w/a.md"),
        ("file://C:/w/a.md", "C:/w/a.md"),
        ("file://srv/share/a.md", "//srv/share/a.md"),
        ("~\\x", "C:/Users/dev/x"),
        ("..\\x", "../x"),
    ],
)
def test_reads_one_spelling_on_windows(typed, operand):
    assert normalise(typed, base="C:/w", home="C:\\Users\\dev") == operand


def test_leaves_the_tilde_alone_without_a_home():
    assert normalise("~/x", base="/repo", home=None) == "~/x"


@given(st.text())
def test_never_raises_on_any_text(typed):
    for base in ("/repo", "C:\\w"):
        operand = normalise(typed, base=base, home="/home/dev")

        assert lexical(absolute(base, operand), windows=is_windows(base))


def test_a_drive_letter_is_a_name_below_a_posix_base():
    assert absolute("/repo", "C:/x") == "/repo/C:/x"


@pytest.mark.parametrize(
    ("base", "windows"), [("/repo", False), ("C:/w", True), ("c:\\w", True), ("\\\\s\\d", True)]
)
def test_the_base_decides_the_rules(base, windows):
    assert is_windows(base) is windows


def test_a_doubled_slash_does_not_turn_a_posix_path_into_a_share():
    """The kernel opens `//repo/x` as `/repo/x`; a share would lie outside the workspace."""
    assert not is_windows("//repo/x")
    assert lexical("//repo/x", windows=False) == "/repo/x"


def test_has_drive_needs_a_letter_and_a_colon():
    assert has_drive("c:")
    assert not has_drive("1:/x")
    assert not has_drive("é:/x")
    assert not has_drive("")


def test_splits_roots_of_both_styles():
    assert split_root("/a/b", windows=False) == ("/", "a/b")
    assert split_root("a/b", windows=False) == ("", "a/b")
    assert split_root("c:/a", windows=True) == ("C:/", "a")
    assert split_root("//s/d/a/b", windows=True) == ("//s/d/", "a/b")
    assert split_root("//?/c:/a", windows=True) == ("C:/", "a")


def test_windows_names_lose_streams_and_trailing_dots():
    assert components("C:/a./b .md. /c:s:$DATA/../ ./d", windows=True) == (
        "C:/",
        ["a", "b .md", "c", "..", "d"],
    )
    assert components("/a./b:c", windows=False) == ("/", ["a.", "b:c"])


def test_compares_with_and_without_letter_case():
    assert same_path("C:/W/x", "c:/w/X", fold=True)
    assert not same_path("/w/x", "/w/X", fold=False)
    assert same_path("/w/x/", "/w/x", fold=False)


@pytest.mark.parametrize(
    ("path", "directory", "fold", "rest"),
    [
        ("/w/a/b", "/w", False, "a/b"),
        ("/w", "/w", False, ""),
        ("/", "/", False, ""),
        ("/a", "/", False, "a"),
        ("/work", "/w", False, None),
        ("/W/a", "/w", False, None),
        ("/W/A", "/w", True, "A"),
        ("/", "/w", False, None),
        ("C:/w/x", "c:/W", True, "x"),
    ],
)
def test_tells_what_lies_below_a_directory(path, directory, fold, rest):
    assert relative_to(path, directory, fold=fold) == rest
