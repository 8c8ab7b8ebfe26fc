"""Conditions, `case`, groups and other compounds: every arm is looked at."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("if c; then touch x; elif d; then touch y; else touch z; fi", ["x", "y", "z"]),
        ("if touch x; then :; elif touch y; then :; fi", ["x", "y"]),
        ("if true; then touch x; else touch y; fi", ["x", "y"]),
        ("if false; then F=a; else F=b; fi; touch $F", ["b"]),
        ("if true; then F=a; false; else F=b; fi; touch $F", ["a"]),
        ("if false; then F=a; elif true; then F=b; else F=c; fi; touch $F", ["b"]),
        ("if c; then exit; fi; touch x", ["x"]),
        ("if true; then cd docs; fi; touch q", ["docs/q"]),
        ("if c; then cd docs; fi; touch q", ["docs/q", "q"]),
        ("if (exit 1); then touch x; fi", ["x"]),
    ],
)
def test_if(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("case x in x) F=a;; *) F=b;; esac; touch $F", ["a"]),
        ("case y in x) F=a;; *) F=b;; esac; touch $F", ["b"]),
        ("case xy in x*) F=a;; *) F=b;; esac; touch $F", ["a"]),
        ("case y in x|y) F=a;; esac; touch $F", ["a"]),
        ("F=0; case y in x) F=a;; esac; touch $F", ["0"]),
        ("case $X in x) F=a;; y) F=b;; *) F=c;; esac; touch $F", ["a", "b", "c"]),
        ("F=0; case $X in x) F=a;; esac; touch $F", ["0", "a"]),
        ("case x in x) touch p;;& *) touch q;; esac", ["p", "q"]),
        ("case x in 'x*') F=a;; x*) F=b;; esac; touch $F", ["b"]),
        ("case x in (x) touch p;; esac", ["p"]),
        ("case no in x) touch p;; esac", ["p"]),
    ],
)
def test_case(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("{ F=x; }; touch $F", ["x"]),
        ("F=y; (F=x; touch $F); touch $F", ["x", "y"]),
        ("time { touch x; }", ["x"]),
        ("time", []),
        ("coproc { touch x; }; touch y", ["x", "y"]),
        ("coproc NAME { cd docs; touch q; }; touch q", ["docs/q", "q"]),
        ("(( n = 3 )); touch f$n", ["f3"]),
        ("let 'n = 2'; touch f$n.", []),
    ],
)
def test_groups_and_others(text, paths):
    assert written(text) == paths


def test_a_quoted_assignment_of_let_is_not_worked_out():
    assert extracted("n=1; let 'n = 2'; touch f$n").opaque


def test_a_function_runs_where_it_is_called():
    assert is_clean("f() { rm a.txt; }")
    assert touched("f() { rm x.md; }; cd docs; f") == ["delete docs/x.md"]


def test_an_item_that_falls_through_goes_on_with_the_next():
    assert "ab" in written("case x in x) F=a;& y) F=${F}b;; esac; touch $F")
