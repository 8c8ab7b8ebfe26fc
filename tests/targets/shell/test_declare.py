"""`declare`, `local`, `export`, `readonly` and their kin."""

from __future__ import annotations

import pytest

from support.shell_calls import is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("declare F=x; touch $F", ["x"]),
        ("typeset F=x G=y; touch $F $G", ["x", "y"]),
        ("readonly F=x; touch $F", ["x"]),
        ("export F=x; touch $F", ["x"]),
        ("F=x; export F; bash -c 'touch $F'", ["x"]),
        ("declare -x F=x; bash -c 'touch $F'", ["x"]),
        ("declare -r F='p q'; touch \"$F\"", ["p q"]),
        ("declare F='p q'; touch $F", ["p", "q"]),
        ("declare -a L=(p q); touch ${L[1]}", ["q"]),
        ("declare -A M=([a]=p [b]=q); touch ${M[b]}", ["q"]),
        ("declare -A M; M[k]=p; touch ${M[k]}", ["p"]),
        ("declare -i n=7; touch f$n", ["f7"]),
        ("declare -n R=F; F=x; touch $R", ["x"]),
        ("declare -n R=F; R=y; touch $F", ["y"]),
        ("F=x; f() { local F=y; touch $F; }; f; touch $F", ["x", "y"]),
        ("F=x; f() { declare F=y; }; f; touch $F", ["x"]),
        ("f() { declare -g F=y; }; f; touch $F", ["y"]),
        ("f() { local F; F=y; }; F=x; f; touch $F", ["x"]),
        ("opt=-r; declare $opt F=x; touch $F", ["x"]),
        ("command export F=x; touch $F", ["x"]),
    ],
)
def test_values_and_scopes(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    ["declare -u F=x; touch $F", "declare -l F=X; touch $F", "declare F=$X; touch $F", "declare -i n=a+1; touch f$n"],
)  # fmt: skip
def test_what_is_not_worked_out(text):
    assert is_opaque(text)


def test_commands_in_values_are_found():
    assert touched("export F=$(touch x) G=${H:-$(touch y)}") == ["write x", "write y"]
