"""Arithmetic on known integers; every operand is visited even when the result is unknown."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.arith import number
from support.shell_calls import is_opaque, touched, written


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("7 / 2", "3"), ("-7 / 2", "-3"), ("-7 % 3", "-1"), ("2 ** 10", "1024"),
        ("1 << 4", "16"), ("255 >> 4", "15"), ("6 & 3", "2"), ("6 | 3", "7"), ("6 ^ 3", "5"), ("~0", "-1"), ("!5", "0"), ("!0", "1"),
        ("3 > 2", "1"), ("3 <= 2", "0"), ("2 == 2", "1"), ("2 != 2", "0"), ("1, 2", "2"), ("010 + 0x1F", "39"), ("-(3)", "-3"), ("+3", "3"),
        ("9223372036854775807 + 1", "-9223372036854775808"), ("n", "5"), ("$n + n", "10"), ("${n}1", "51"), ("n++", "5"), ("++n", "6"),
        ("n--", "5"), ("n = 2", "2"), ("n += 2", "7"), ("n -= 1", "4"), ("n *= 2", "10"), ("n <<= 1", "10"), ("1 && 2", "1"), ("0 || 2", "1"),
        ("a[1]", "8"), ("$(echo 4) + 1", "5"),
    ],
)  # fmt: skip
def test_values(expression, value):
    assert written(f"n=5; a=(7 8); touch f$(({expression}))") == [f"f{value}"]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("n=1; ((n++)); ((n += 3)); touch f$n", ["f5"]),
        ("((n = 2, m = n + 1)); touch f$m", ["f3"]),
        ("let n=1+2; touch f$n", ["f3"]),
        ("declare -i n; n=7; touch f$n", ["f7"]),
        ("a=(1 2); ((a[1]++)); touch f${a[0]}", []),
    ],
)
def test_assignments_are_kept(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "expression",
    ["X + 1", "1 / 0", "1 % 0", "2 ** 99", "1 << 99", "c ? 1 : 2", "9999999999999999999999", "16#ff", "$X", "08", "1 +- X", ""],
)  # fmt: skip
def test_what_is_not_known(expression):
    assert is_opaque(f"touch f$(({expression}))")


@pytest.mark.parametrize("text", ["n=1; c && ((n++)); touch f$n", "n=1; ((X && n++)); touch f$n"])
def test_what_may_or_may_not_be_assigned(text):
    assert set(touched(text)) == {"write f1", "write f2"} or is_opaque(text)


@pytest.mark.parametrize(
    "expression",
    ["X + $(touch q)", "X && $(touch q)", "X ? $(touch q) : 1", "a[$(touch q)]", "n = $(touch q)"],
)
def test_commands_in_operands_are_found(expression):
    assert "write q" in touched(f"echo $(({expression}))")


@pytest.mark.parametrize(
    ("text", "value"),
    [("", 0), ("7", 7), ("-7", -7), ("+7", 7), ("010", 8), ("0x1f", 31), ("0X1F", 31), ("0", 0), ("00", 0), ("08", None),
     ("1x", None), ("--1", None), ("1" * 30, None), ("٣", None), ("1.5", None), ("-", None)],
)  # fmt: skip
def test_numbers_as_the_shell_spells_them(text, value):
    assert number(text) == value
