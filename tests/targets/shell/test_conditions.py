"""`[[ ... ]]` and `[ ... ]`: outcomes that are known decide, others leave both ways open."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.conditions import compare
from support.shell_calls import is_clean, touched, written


@pytest.mark.parametrize(
    "condition",
    [
        "[[ a = a ]]", "[[ a == a* ]]", "[[ a != b ]]", "[[ -n a ]]", "[[ -z '' ]]", "[[ a ]]", "[[ ! '' ]]", "[[ (a = a) ]]",
        "[[ a = a && -n x ]]", "[[ a = b || -n x ]]", "[[ 2 -gt 1 ]]", "[[ 010 -eq 8 ]]", "[[ $v = x ]]", "[[ $v == [x-z] ]]",
        "[[ 'a*' = 'a*' ]]", "[ a = a ]", "[ a == a ]", "[ a != b ]", "[ -n a ]", "[ -z '' ]", "[ 1 -le 1 ]", "test 1 -ne 2", "((2 > 1))",
        "true", ":", "! false", "! [[ a = b ]]",
    ],
)  # fmt: skip
def test_what_is_true(condition):
    assert written(f"v=x; F=no; if {condition}; then F=yes; fi; touch $F") == ["yes"]


@pytest.mark.parametrize(
    "condition",
    [
        "[[ a = b ]]", "[[ a == b* ]]", "[[ ab = 'a*' ]]", "[[ -z a ]]", "[[ '' ]]", "[[ a = a && '' ]]", "[[ 1 -gt 2 ]]", "[ a = b ]",
        "[ -z a ]", "test 1 -eq 2", "((1 > 2))", "false", "! true",
    ],
)  # fmt: skip
def test_what_is_false(condition):
    assert written(f"F=no; if {condition}; then F=yes; fi; touch $F") == ["no"]


@pytest.mark.parametrize(
    "condition",
    ["[[ -f a.txt ]]", "[[ $X = a ]]", "[[ a =~ b ]]", "[[ a < b ]]", "[[ $X -gt 1 ]]", "[[ a = $X ]]", "[[ $X && a ]]", "[ -e a.txt ]",
     "[ $X = a ]", "[[ -v v ]]", "cmd", "((X))", "grep -q x a.txt"],
)  # fmt: skip
def test_what_is_not_known_leaves_both(condition):
    assert written(f"F=no; if {condition}; then F=yes; fi; touch $F") == ["no", "yes"]


def test_an_option_may_make_letter_case_count_for_nothing():
    assert written("shopt -s nocasematch; F=no; if [[ A = a ]]; then F=yes; fi; touch $F") == ["no", "yes"]


@pytest.mark.parametrize(
    "condition", ["[[ a > b ]]", "[ a -nt b ]", "[[ -d docs && ! -f q ]]", "[[ a =~ '(x|y)>z' ]]"]
)
def test_conditions_only_read(condition):
    assert is_clean(condition)


def test_both_sides_are_expanded():
    assert touched("[[ a = b && $(touch q) = $(touch r) ]]") == ["write q", "write r"]


@pytest.mark.parametrize(
    ("op", "left", "right", "outcome"),
    [("-eq", "1", "01", True), ("-lt", "-1", "0", True), ("-ge", "1", "2", False), ("-eq", "x", "1", None), ("-eq", None, "1", None),
     ("-nt", "1", "2", None), ("-gt", " 2 ", "1", True)],
)  # fmt: skip
def test_comparisons(op, left, right, outcome):
    assert compare(op, left, right) is outcome
