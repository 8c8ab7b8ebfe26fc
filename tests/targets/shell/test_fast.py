"""Plain commands are read without the parser; anything that means more is left to it."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.fast import parse_plain
from phasegate.targets.shell.limits import MAX_FIELDS, TooMuch
from support.shell_calls import extracted
from support.target_calls import parser


def shape(tree):
    """The words of each command with their places: what the walk goes by."""
    return [
        [
            (word["Pos"].get("Offset", 0), word["End"]["Offset"], parts(word))
            for word in statement["Cmd"]["Args"]
        ]
        for statement in tree["Stmts"]
    ]


def parts(node):
    return [
        (part["Type"], part.get("Value", ""), parts(part) if part.get("Parts") else [])
        for part in node.get("Parts") or []
    ]


@pytest.mark.parametrize(
    "text",
    [
        "ls", "  rm a.txt  ", "rm\ta", "rm 'a b' \"c d\" e'f'\"g\"", "rm ''", 'rm ""', "echo 'a > b; $x `c`'", "rm *.md {a,b} ~/x",
        "git commit -m 'x y'", "a/b.sh --x=y", "[ a ]", "rm a b=c", "rm -- -x", "rm [ab]", "'if' x", "x'y=z' a",
        "dd if=a of=b", "rm ~ ^", "echo }", "touch {1..3}", "curl -d @f http://h:1/x",
    ],
)  # fmt: skip
def test_plain_words_give_the_tree_of_the_parser(text):
    assert shape(parse_plain(text)) == shape(parser().parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "a; b", "a && b", "a | b", "a &", "a > b", "a < b", "a $x", 'a "$x"', "a `b`", 'a "`b`"', "a \\b", 'a "\\b"',
        "a\nb", "a\\\nb", "a # b", "(a)", "{ a", "a=b", "a=b c", "a[1]=b c", "a 'b", 'a "b', "if a", "! a", "[[ a ]]", "time a",
        "let a", "export a=b", "function f", "a 'b\nc'", 'a "b!c"', "a\rb", "a\x0bb", "a ü", "a 'ü' b", "a!b", "coproc a", "declare x",
    ],
)  # fmt: skip
def test_anything_else_is_left_to_the_parser(text):
    assert parse_plain(text) is None


def test_positions_are_right_beyond_ascii():
    (target,) = extracted("rm 'üüü' '.b→'").targets[1:]

    assert target.span == (0, 14)


def test_too_many_words_are_not_looked_at():
    with pytest.raises(TooMuch):
        parse_plain("rm" + " x" * MAX_FIELDS)
    assert parse_plain("rm" + " x" * (MAX_FIELDS - 1)) is not None
