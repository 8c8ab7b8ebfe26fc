"""Operators of parameter expansion, on known text."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import Effort
from phasegate.targets.shell.params import (
    MAX_SUFFIXED,
    MAX_WORKED,
    Substitution,
    change_case,
    cut,
    remove,
    substitute,
    transform,
)


@pytest.mark.parametrize(
    ("op", "pattern", "value"),
    [
        ("#", "*/", "b/c.d.e"), ("##", "*/", "c.d.e"), ("%", ".*", "a/b/c.d"), ("%%", ".*", "a/b/c"), ("#", "x", "a/b/c.d.e"),
        ("%", "x", "a/b/c.d.e"), ("##", "*", ""), ("%%", "*", ""), ("#", "", "a/b/c.d.e"), ("%", "?", "a/b/c.d."), ("#", "[a-c]", "/b/c.d.e"),
    ],
)  # fmt: skip
def test_removal(op, pattern, value):
    assert remove("a/b/c.d.e", op, pattern, Effort()) == value


@pytest.mark.parametrize(
    ("pattern", "replacement", "every", "value"),
    [
        ("b", "X", False, "aXcabc"), ("b", "X", True, "aXcaXc"), ("#a", "X", False, "Xbcabc"), ("%c", "X", False, "abcabX"),
        ("#b", "X", False, "abcabc"), ("%b", "X", False, "abcabc"), ("b*", "X", False, "aX"), ("?", "", True, ""), ("", "X", True, "abcabc"),
        ("z", "X", True, "abcabc"), ("#", "X", False, "Xabcabc"), ("%", "X", False, "abcabcX"), ("#a", "X", True, "abcabc"),
    ],
)  # fmt: skip
def test_substitution(pattern, replacement, every, value):
    assert substitute("abcabc", Substitution(pattern, replacement, every), Effort()) == value


@pytest.mark.parametrize(
    ("op", "pattern", "value"), [("^", "", "Abc dE"), ("^^", "", "ABC DE"), (",,", "", "abc de"), (",", "", "abc dE"), ("^^", "[ab]", "ABc dE"), ("^", "b", "abc dE")]
)  # fmt: skip
def test_letter_case(op, pattern, value):
    assert change_case("abc dE", op, pattern, Effort()) == value


@pytest.mark.parametrize(
    ("offset", "length", "value"),
    [(0, None, "abcde"), (2, None, "cde"), (1, 2, "bc"), (-2, None, "de"), (-3, 2, "cd"), (9, None, ""), (-9, None, ""),
     (1, -1, "bcd"), (3, -3, None), (5, None, ""), (0, 0, "")],
)  # fmt: skip
def test_cutting(offset, length, value):
    assert cut("abcde", offset, length) == value


@pytest.mark.parametrize(
    ("op", "value"),
    [("Q", "'it'\\''s'"), ("U", "IT'S"), ("u", "It's"), ("L", "it's"), ("P", None), ("a", None)],
)
def test_transformations(op, value):
    assert transform("it's", op) == value


def test_a_long_value_is_not_worked_on():
    long = "a" * (MAX_WORKED + 1)

    assert remove(long, "#", "a", Effort()) is None
    assert remove("a" * (MAX_SUFFIXED + 1), "%", "a", Effort()) is None
    assert substitute(long, Substitution("a", "b", True), Effort()) is None
    assert change_case(long, "^^", "", Effort()) is None
