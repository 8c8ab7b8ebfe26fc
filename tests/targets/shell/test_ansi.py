"""Escapes of `$'...'` and `echo -e`, and the output of `printf`."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.ansi import printf, unescape


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("a\\nb\\tc", "a\nb\tc"),
        ("\\\\ \\' \\\"", "\\ ' \""),
        ("\\x41\\x4a", "AJ"),
        ("\\x4g", "\x04g"),
        ("\\101\\1013", "AA3"),
        ("\\u00e9\\U0001F600", "é😀"),
        ("\\xc3\\xa9", "é"),
        ("\\e\\a", "\x1b\a"),
        ("\\cA", "\x01"),
        ("\\q\\", "\\q\\"),
        ("a\\0b", "a"),
        ("a\\x00b", "a"),
        ("\\x", "\\x"),
        ("\\U99999999", "\\U99999999"),
    ],
)
def test_dollar_quotes(text, value):
    assert unescape(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a\\nb", "a\nb"),
        ("\\0101", "A"),
        ("\\101", "\\101"),
        ("a\\cb", "a"),
        ("\\'", "\\'"),
        ("a\\0b", "a\0b"),
    ],
)
def test_echo(text, value):
    assert unescape(text, echo=True) == value


@pytest.mark.parametrize(
    ("form", "arguments", "text"),
    [
        ("x", [], "x"),
        ("%s\\n", ["a"], "a\n"),
        ("%s\\n", ["a", "b"], "a\nb\n"),
        ("%s-%s;", ["a", "b", "c"], "a-b;c-;"),
        ("%d%%", ["7"], "7%"),
        ("%03d|%-3s|%3s|", ["7", "a", "b"], "007|a  |  b|"),
        ("%b", ["a\\nb"], "a\nb"),
        ("%s", ["a\\nb"], "a\\nb"),
        ("%c", ["xyz"], "x"),
        ("x", ["ignored"], "x"),
        ("%i", [], "0"),
    ],
)
def test_printf(form, arguments, text):
    assert printf(form, arguments) == text


@pytest.mark.parametrize(
    ("form", "arguments"), [("%q", ["a"]), ("%x", ["1"]), ("%.2f", ["1"]), ("%d", ["x"]), ("%d", ["010"]), ("%*s", ["3", "a"]), ("%", [])]
)  # fmt: skip
def test_what_printf_makes_of_other_conversions_is_not_known(form, arguments):
    assert printf(form, arguments) is None


def test_printf_ends():
    assert len(printf("%s", ["a"] * 10_000)) < 10_000
