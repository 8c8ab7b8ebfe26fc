"""Brace expansion, before anything else is expanded."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.braces import Unit, expand_braces
from phasegate.targets.shell.limits import TooMuch


def expanded(text: str) -> list[str]:
    """`Q` stands for a quoted part."""
    units = [Unit(node="Q") if char == "Q" else Unit(char=char) for char in text]
    return ["".join(unit.node or unit.char for unit in word) for word in expand_braces(units)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("abc", ["abc"]),
        ("{a,b}", ["a", "b"]),
        ("x{a,b}y", ["xay", "xby"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a,{b,c}}", ["a", "b", "c"]),
        ("{,a}", ["", "a"]),
        ("{a}", ["{a}"]),
        ("{}", ["{}"]),
        ("{a,b", ["{a,b"]),
        ("a,b}", ["a,b}"]),
        ("{a}{b,c}", ["{a}b", "{a}c"]),
        ("{{a,b}", ["{a", "{b"]),
        ("{Q,b}", ["Q", "b"]),
        ("{aQ}", ["{aQ}"]),
        ("{1..3}", ["1", "2", "3"]),
        ("{3..1}", ["3", "2", "1"]),
        ("{1..6..2}", ["1", "3", "5"]),
        ("{6..1..-2}", ["6", "4", "2"]),
        ("{08..10}", ["08", "09", "10"]),
        ("{-1..1}", ["-1", "0", "1"]),
        ("{a..e..2}", ["a", "c", "e"]),
        ("{c..a}", ["c", "b", "a"]),
        ("{1..2..0}", ["1", "2"]),
        ("{1..Q}", ["{1..Q}"]),
        ("{1..x}", ["{1..x}"]),
        ("{1..2..x}", ["{1..2..x}"]),
        ("{ab..cd}", ["{ab..cd}"]),
        ("{1..}", ["{1..}"]),
        ("{1..2..3..4}", ["{1..2..3..4}"]),
    ],
)
def test_words(text, words):
    assert expanded(text) == words


@pytest.mark.parametrize(
    "text", ["{1..100000}", "{a,b}" * 11, "{a," * 20 + "b" + "}" * 20, "{a,b}" * 17, "{1..999999999}"]
)
def test_more_than_the_bounds(text):
    with pytest.raises(TooMuch):
        expanded(text)
