"""The scanner: what is one word, what is a string, and where code ends."""

from __future__ import annotations

import contextlib
import time

import pytest

from phasegate.targets.powershell.text import Unreadable, statements, tokens_of


def shape(text: str) -> list[str]:
    return [
        f"{token.kind[0]}:{token.literal if token.literal is not None else token.text}"
        for token in tokens_of(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b-c ./d\\e", ["w:a", "w:b-c", "w:./d\\e"]),
        ('\'a\'\'b\' "c`"d" "e""f"', ["s:a'b", 's:c"d', 's:e"f']),
        ("a`b `n", ["w:ab", "w:n"]),
        ("a#b # c", ["w:a#b"]),
        ("a <# b\nc #> d", ["w:a", "w:d"]),
        ("@'\nx\ny\n'@", ["s:x\ny"]),
        ("a>b 2>>c 2>&1 *>d", ["w:a", "r:>", "w:b", "r:2>>", "w:c", "r:2>&1", "r:*>", "w:d"]),
        ("a;b|c&&d||e", ["w:a", "o:;", "w:b", "o:|", "w:c", "o:&&", "w:d", "o:||", "w:e"]),
        ("x'y z'", ["w:xy z"]),
        ("$x=1", ["w:$x", "o:=", "w:1"]),
        ("a=b", ["w:a=b"]),
        ("${a b}", ["w:${a b}"]),
    ],
)
def test_tokens(text, expected):
    assert shape(text) == expected


def test_strings_know_their_variables_and_code():
    token = tokens_of('"a$x.b$(c d)${e}"')[0]

    assert token.pieces == (
        ("text", "a"),
        ("variable", "x"),
        ("text", ".b"),
        ("unknown", ""),
        ("variable", "e"),
    )
    assert [child.text for child in token.children[0].children] == ["c", "d"]


def test_groups_nest():
    outer = tokens_of("a (b {c [d]})")[1]

    assert outer.text == "("
    assert outer.children[1].children[1].children[0].text == "d"


@pytest.mark.parametrize("text", ["'a", '"a', "(a", "{a", "a)", "@'\na", "<# a", '"${a"', '"$(a"', "@{a"])
def test_unbalanced_text_is_unreadable(text):
    with pytest.raises(Unreadable):
        tokens_of(text)


def test_an_ampersand_calls_or_ends():
    assert [[token.text for token in part] for part in statements(tokens_of("& a & b; $x = & c"))] == [
        ["&", "a"],
        ["b"],
        ["$x", "=", "&", "c"],
    ]


@pytest.mark.parametrize("piece", ["'a' ", "$x", '"$x" ', "`", "a,", "#\n", "((", "@{"])
def test_long_text_is_read_in_linear_time(piece):
    started = time.monotonic()
    with contextlib.suppress(Unreadable):
        tokens_of(piece * (200_000 // len(piece)))

    assert time.monotonic() - started < 10
