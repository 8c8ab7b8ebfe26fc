"""`sed`: files edited in place, and the files and commands of its script."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.programs.sed import parse_script
from support.shell_calls import extracted, is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    "options",
    [
        "-i",
        "-i -e",
        "-n -i",
        "-ni",
        "-Ei",
        "-i -E",
        "--in-place",
        "--in-pl",
        "-s -i",
        "-iE -n",
        "-z -i",
        "-i ''",
    ],
)
def test_editing_in_place_in_all_its_spellings(options):
    assert "a.txt" in written(f"sed {options} s/a/b/ a.txt")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("sed s/a/b/ a.txt -i", ["a.txt"]),
        ("sed -i.bak s/a/b/ a.txt", ["a.txt", "a.txt.bak"]),
        ("sed -i'old_*' s/a/b/ docs/x.md", ["docs/old_x.md", "docs/x.md"]),
        ("sed -i'bak/*' s/a/b/ docs/x.md", ["bak/x.md", "docs/x.md"]),
        ("sed --in-place=.o s/a/b/ a.txt", ["a.txt", "a.txt.o"]),
        ("sed -i s/a/b/ docs/*.md", ["docs/x.md", "docs/y.md"]),
        ("sed -i -f - a.txt <<< 's/a/b/'", ["a.txt"]),
        ("sed -i s/a/b/ link.md", ["link.md"]),
        ("sed -i --follow-symlinks s/a/b/ link.md", ["docs/x.md"]),
        ("sed -n '/x/w q' a.txt", ["q"]),
        ("sed 's/a/b/gw q' a.txt", ["q"]),
        ("sed 's|a|b|;s,c,d,w q' a.txt", ["q"]),
        ("sed '1{w q\n}' a.txt", ["q"]),
        ("sed -e '1w q' -e '2w r' a.txt", ["q", "r"]),
        ("sed '1e touch q' a.txt", ["q"]),
        ("sed 's/[/]/w q/' a.txt", []),
        ("sed 'w /dev/stdout' a.txt", []),
    ],
)
def test_files_of_options_and_scripts(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "script",
    [
        "s/>/</g", "1,5p;10q", "/start/,/end/d", "$!N;$!D", "1i\\\nw q", "a w q", "1i w q", "y/abc/xyz/", "/x/!s/a/b/",
        ":a;N;$!ba;s/\\n/ /g", "0~3d", "/x/I,+2p", "$=", "1,3{s/a/b/;p}", "# w q", "s/\\/a/w/", "s/[/w]/x/", "s/[]/]/w/", "s/[[:space:]/]/w/", "s/[^/]*$/w/", "l 80", "\\,x,d", "b end;:end",
        "s/a/b/;s/c/d/", "r q", "1!G;h;$!d",
    ],
)  # fmt: skip
def test_scripts_that_write_nothing(script):
    found = parse_script(script)

    assert found.understood
    assert not found.writes
    assert not found.runs
    assert is_clean(f"sed -n '{script}' a.txt")


@pytest.mark.parametrize("script", ["s/a/b/e", "e", "s/a/b/we"])
def test_scripts_that_run_commands(script):
    found = parse_script(script)

    assert found.runs or found.writes


@pytest.mark.parametrize("text", ["sed -f x.sed a.txt", "sed 's/a/b' a.txt", 'sed "$X" a.txt'])
def test_scripts_that_can_not_be_read(text):
    assert is_opaque(text)


def test_a_variable_inside_a_script_is_data():
    """Reading with a pattern from a variable is common, and writes nothing."""
    assert is_clean('sed -n "s/$X/y/p" a.txt')
    assert is_clean('sed -n "${N},${M}p" a.txt')
    assert touched('sed -i "s/$X/y/" a.txt') == ["write a.txt"]


def test_a_file_whose_name_is_unknown_is_opaque():
    assert is_opaque('sed "w $X" a.txt')


def test_the_cause_is_named():
    (target,) = extracted("sed -i s/a/b/ a.txt").targets
    assert target.via == "sed -i"
