"""Texts known in part stay normal, and never claim to be known."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import MAX_TEXT
from phasegate.targets.shell.text import (
    EMPTY,
    STAND_IN,
    UNKNOWN,
    Field,
    field,
    join,
    literal,
    number_of,
    plain,
    prefix,
    replaced,
    unknown_field,
    with_stand_ins,
    without_first,
)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([], ()),
        ([("a",), ("b",)], ("ab",)),
        ([("a",), EMPTY, ("b",)], ("ab",)),
        ([("a",), UNKNOWN, UNKNOWN, ("b",)], ("a", None, "b")),
        ([UNKNOWN, ("",), UNKNOWN], (None,)),
        ([("a", None), (None, "b")], ("a", None, "b")),
    ],
)
def test_joined_texts_are_normal(parts, text):
    assert join(parts) == text


def test_a_text_is_known_only_as_a_whole():
    assert plain(EMPTY) == ""
    assert plain(("a",)) == "a"
    assert plain(("a", None)) is None
    assert plain(UNKNOWN) is None
    assert prefix(("a", None)) == "a"
    assert prefix((None, "a")) == ""


def test_what_is_too_long_is_not_known():
    assert plain(literal("a" * (MAX_TEXT + 1))) is None
    assert plain(join([("a" * MAX_TEXT,), ("b",)])) is None


def test_a_stand_in_is_unknown_wherever_it_gets():
    assert literal(f"a{STAND_IN}b") == ("a", None, "b")
    assert literal(STAND_IN) == UNKNOWN
    assert with_stand_ins(("a", None)) == f"a{STAND_IN}"
    assert with_stand_ins(EMPTY) == ""
    assert with_stand_ins(UNKNOWN) is None
    assert with_stand_ins((None, " ")) is None


def test_cutting_the_beginning():
    assert without_first(("ab", None), 1) == ("b", None)
    assert without_first(("ab", None), 2) == (None,)
    assert field("--out=x").cut(6).text == "x"
    assert field("-o").cut(2).text == ""


@pytest.mark.parametrize(
    ("value", "number"), [("7", 7), ("07", 7), ("x", 3), ("-1", 3), ("", 3), ("1234567890", 3), ("٣", 3)]
)
def test_numbers(value, number):
    assert number_of(field(value), 3) == number
    assert number_of(None, 3) == 3


@pytest.mark.parametrize(
    ("word", "value"),
    [("{}", ("f", None)), ("a{}b{}", ("af", None, "bf", None)), ("x", ("x",)), ("", ())],
)
def test_replacing_a_mark(word, value):
    assert replaced(field(word), "{}", Field(("f", None), "f$x")).value == value


def test_an_unknown_field():
    assert unknown_field("$x", many=True) == Field((None,), "$x", many=True)
