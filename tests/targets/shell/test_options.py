"""Arguments are read as getopt would."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.options import Grammar, parse
from phasegate.targets.shell.text import Field, field

SPELLED = "-a -b|--bee -o|--output: -i? --suffix? --only: --onset"


def sorted_out(text: str, **how):
    """Options as (name, value), operands, and options that are in no grammar."""
    parsed = parse([field(word) for word in text.split()], Grammar.of(SPELLED, **how))
    options = [(name, None if value is None else value.text) for name, value in parsed.options]
    return options, [operand.text for operand in parsed.operands], parsed.strange


@pytest.mark.parametrize(
    ("text", "options", "operands", "strange"),
    [
        ("-a x", [("a", None)], ["x"], []),
        ("-ab x", [("a", None), ("b", None)], ["x"], []),
        ("--bee", [("b", None)], [], []),
        ("-o f x", [("o", "f")], ["x"], []),
        ("-of x", [("o", "f")], ["x"], []),
        ("-aof x", [("a", None), ("o", "f")], ["x"], []),
        ("-ao f x", [("a", None), ("o", "f")], ["x"], []),
        ("--output f", [("o", "f")], [], []),
        ("--output=f", [("o", "f")], [], []),
        ("--output=", [("o", "")], [], []),
        ("--outp f", [("o", "f")], [], []),
        ("--on x", [], ["x"], ["--on"]),
        ("--onl x", [("only", "x")], [], []),
        ("-i x", [("i", None)], ["x"], []),
        ("-i.bak x", [("i", ".bak")], ["x"], []),
        ("--suffix x", [("suffix", None)], ["x"], []),
        ("--suffix=s", [("suffix", "s")], [], []),
        ("x -a y", [("a", None)], ["x", "y"], []),
        ("-- -a", [], ["-a"], []),
        ("- x", [], ["-", "x"], []),
        ("-z x", [], ["x"], ["-z"]),
        ("-az", [("a", None)], [], ["-z"]),
        ("--zz=1", [], [], ["--zz"]),
        ("-o", [("o", None)], [], []),
        ("-o -- -a", [("o", "--"), ("a", None)], [], []),
    ],
)
def test_options_and_operands(text, options, operands, strange):
    assert sorted_out(text) == (options, operands, strange)


def test_without_permutation_the_first_operand_ends_the_options():
    assert sorted_out("-a x -b", permute=False) == ([("a", None)], ["x", "-b"], [])


def test_numbers_may_be_options():
    assert sorted_out("-5 x", numeric=True) == ([("number", "5")], ["x"], [])
    assert sorted_out("-5 x") == ([], ["x"], ["-5"])


def test_long_options_may_have_one_dash():
    grammar = Grammar.of("-out: -v", single=True)
    parsed = parse([field(word) for word in ("-v", "-out", "f", "-ou")], grammar)

    assert [name for name, _ in parsed.options] == ["v", "out"]
    assert parsed.last("out").text == "f"
    assert parsed.strange == ["-ou"]


@pytest.mark.parametrize(
    ("value", "options", "operands"),
    [
        ((None,), [], 1),
        (("-", None), [], 1),
        (("-o", None), [("o", None)], 0),
        (("--output=", None), [("o", None)], 0),
        (("--out", None), [], 1),
        (("x", None), [], 1),
    ],
)
def test_an_argument_known_in_part_is_an_operand_unless_it_is_clearly_an_option(value, options, operands):
    parsed = parse([Field(value, "typed")], Grammar.of(SPELLED))

    assert [(name, found.text) for name, found in parsed.options] == options
    assert len(parsed.operands) == operands


def test_values_of_an_option_in_order():
    parsed = parse([field(word) for word in ("-o", "a", "--output=b")], Grammar.of(SPELLED))

    assert [value.text for value in parsed.values("o")] == ["a", "b"]
    assert parsed.last("o").text == "b"
    assert parsed.last("only") is None
    assert parsed.has("x", "o")
    assert not parsed.has("a")
