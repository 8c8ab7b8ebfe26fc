"""Shell patterns match as in bash, and never take long."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import Effort, TooMuch
from phasegate.targets.shell.patterns import escape, is_pattern, matches, unescape


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("*", "", True),
        ("*", "abc", True),
        ("a*c", "abbc", True),
        ("a*c", "abb", False),
        ("?", "a", True),
        ("?", "", False),
        ("[abc]", "b", True),
        ("[a-c]x", "bx", True),
        ("[!a-c]", "b", False),
        ("[^a-c]", "d", True),
        ("[]]", "]", True),
        ("[[:digit:]]*", "7up", True),
        ("[[:upper:]]", "a", False),
        ("[a", "[a", True),
        ("\\*", "*", True),
        ("\\*", "a", False),
        ("@(a|bc)", "bc", True),
        ("@(a|bc)", "abc", False),
        ("?(a)b", "b", True),
        ("*(ab)", "ababab", True),
        ("+(ab)", "", False),
        ("!(a)", "b", True),
        ("!(a)", "a", False),
        ("!(*.md)", "x.txt", True),
        ("@(a|@(b|c))d", "cd", True),
    ],
)
def test_matching(pattern, text, expected):
    assert matches(pattern, text, Effort()) is expected


@pytest.mark.parametrize("text", ["plain", "a*b?c[d]", "back\\slash", "@(x)", "-[!^]"])
def test_an_escaped_text_matches_itself_and_nothing_else(text):
    assert matches(escape(text), text, Effort())
    assert not matches(escape(text), text + "x", Effort())
    assert unescape(escape(text)) == text


def test_tells_a_pattern_from_a_name():
    assert is_pattern("*.md")
    assert is_pattern("!(x)")
    assert not is_pattern("\\*.md")
    assert not is_pattern("plain!")


@pytest.mark.parametrize("pattern", ["*a" * 200 + "b", "*(*(*(a)))b", "+(a|aa|aaa)+(a|aa)!(b)" * 5])
def test_gives_up_on_a_pattern_that_takes_too_long(pattern):
    effort = Effort()

    def match_many_names():
        for _ in range(2000):
            matches(pattern, "a" * 250, effort)

    with pytest.raises(TooMuch):
        match_many_names()
