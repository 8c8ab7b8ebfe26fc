"""The expression of `find`: precedence, and three outcomes of a test."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import Effort
from phasegate.targets.shell.programs.find_expression import Found, Unreadable, read_expression
from phasegate.targets.shell.text import Field, field

FILE = Found("docs/x.md", 1, "file", 3)


def reached(text: str, found: Found = FILE) -> list[tuple[str, bool]]:
    """The actions that *found* gets to, and whether it surely does."""
    expression = read_expression([field(word) for word in text.split()], Effort())
    return [(action.name, sure) for action, sure in expression.apply(found).reached]


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("", [("-print", True)]),
        ("-delete", [("-delete", True)]),
        ("-name x.md", [("-print", True)]),
        ("-name y.md", []),
        ("-name *.md -delete", [("-delete", True)]),
        ("-not -name x.md -delete", []),
        ("! ! -name x.md -delete", [("-delete", True)]),
        ("-iname X.MD -delete", [("-delete", True)]),
        ("-path docs/* -delete", [("-delete", True)]),
        ("-name docs/x.md -delete", []),
        ("-type f -delete", [("-delete", True)]),
        ("-type d,l -delete", []),
        ("-name y.md -o -delete", [("-delete", True)]),
        ("-name x.md -o -delete", []),
        ("-name y.md -delete -o -print", [("-print", True)]),
        ("( -name y.md -o -name x.md ) -delete", [("-delete", True)]),
        ("-name y.md -o -name x.md -delete", [("-delete", True)]),
        ("-name y.md -o -name x.md -a -delete", [("-delete", True)]),
        ("-false , -delete", [("-delete", True)]),
        ("-mtime +3 -delete", [("-delete", False)]),
        ("-newer a -o -delete", [("-delete", False)]),
        ("-not -empty -delete", [("-delete", False)]),
        ("-false -delete", []),
        ("-true -delete", [("-delete", True)]),
        ("-size +1 -name y.md -delete", []),
        ("-maxdepth 1 -delete", [("-delete", True)]),
        ("-exec rm {} ;", [("-exec", True)]),
        ("-exec false ; -delete", [("-exec", True), ("-delete", False)]),
        ("-exec rm {} + -delete", [("-exec", True), ("-delete", True)]),
        ("-print -delete", [("-print", True), ("-delete", True)]),
        ("-prune", [("-print", True)]),
    ],
)
def test_what_is_reached(text, actions):
    assert reached(text) == actions


def test_pruning_counts_only_where_it_is_sure():
    for text, pruned in (("-name x.md -prune", True), ("-empty -prune", False), ("-name y.md -prune", False)):
        expression = read_expression([field(word) for word in text.split()], Effort())
        assert expression.apply(FILE).pruned is pruned


def test_depths_and_the_words_of_a_command():
    args = [
        "-maxdepth",
        "2",
        "-mindepth",
        "1",
        "-execdir",
        "mv",
        "{}",
        "{}.bak",
        ";",
        "-fprintf",
        "out",
        "%p",
    ]
    expression = read_expression([field(word) for word in args], Effort())
    command, report = expression.actions

    assert (expression.min_depth, expression.max_depth) == (1, 2)
    assert [word.text for word in command.words] == ["mv", "{}", "{}.bak"]
    assert command.in_directory
    assert not command.batched
    assert report.file.text == "out"


def test_a_plus_ends_a_command_only_behind_braces():
    expression = read_expression(
        [field(word) for word in ["-exec", "echo", "+", "{}", "+", "-print"]], Effort()
    )

    assert [word.text for word in expression.actions[0].words] == ["echo", "+", "{}"]
    assert expression.actions[0].batched


@pytest.mark.parametrize(
    "text",
    ["-frob", "( -name x", "-name x )", "-exec rm {}", "-exec ;", "-name", "-maxdepth x", "-o", "-fprint", "!", "( " * 80 + "-true" + " )" * 80],
)  # fmt: skip
def test_what_follows_no_grammar(text):
    with pytest.raises(Unreadable):
        read_expression([field(word) for word in text.split()], Effort())


@pytest.mark.parametrize("at", [0, 1])
def test_an_argument_that_is_not_known(at):
    args = [field("-name"), field("x.md"), field("-delete")]
    args[at] = Field((None,), "$x")
    if at == 0:
        with pytest.raises(Unreadable):
            read_expression(args, Effort())
    else:
        assert read_expression(args, Effort()).apply(FILE).reached[0][1] is False
