"""Where a node stands: characters of the caller's text, whatever the parser counts."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import TooMuch
from phasegate.targets.shell.source import Source, name_of, operator
from support.shell_calls import extracted
from support.target_calls import parser


def sliced(text: str) -> list[str]:
    return [text[slice(*target.span)] for target in extracted(text).targets]


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        ("rm a.txt", ["rm a.txt"]),
        ("true; rm a.txt # x", ["rm a.txt"]),
        ("cd docs && rm x.md y.md", ["rm x.md y.md"] * 2),
        ("echo 'ü→😀'; rm a.txt; rm b.md", ["rm a.txt", "rm b.md"]),
        ("echo x > q", ["> q"]),
        ("echo 'é' 2>> q", ["2>> q"]),
        ("for i in a.txt b.md; do rm $i; done", ["rm $i"] * 2),
        ("echo $(rm a.txt)", ["rm a.txt"]),
        ("f() { rm a.txt; }\nf", ["rm a.txt"]),
        ("bash -c 'rm a.txt'", ["bash -c 'rm a.txt'"]),
        ("sudo sh -c 'cd docs; rm x.md'", ["sudo sh -c 'cd docs; rm x.md'"]),
        ("find docs -name x.md -exec rm {} \\;", ["find docs -name x.md -exec rm {} \\;"]),
    ],
)  # fmt: skip
def test_a_span_cuts_the_cause_out_of_the_command(text, causes):
    assert sliced(text) == causes


def test_the_part_that_is_not_known_has_a_span_too():
    text = "true 'ü'; frob x; ls"
    (reason,) = extracted(text).opaque

    assert text[slice(*reason.span)] == "frob x"
    assert reason.part == "frob x"


def test_the_source_of_a_node_and_the_line_below():
    text = "echo 'ü' a\nnext\nlast"
    source = Source(text, parser().parse(text))
    first, _, last = source.tree["Stmts"]

    assert source.spelled(first) == "echo 'ü' a"
    assert source.line_after(first) == "next"
    assert source.line_after(last) is None


def test_nodes_of_a_nested_text_stand_where_its_command_stands():
    source = Source("rm a", parser().parse("rm a"), outer=(3, 9))

    assert source.span(source.tree["Stmts"][0]) == (3, 9)


def test_an_old_parser_is_told_from_an_understood_one():
    with pytest.raises(TooMuch):
        operator({"Op": 54})
    assert operator({}) == ""
    assert name_of(None) == ""
