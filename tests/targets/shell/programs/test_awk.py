"""`awk`: comparisons are not redirections, and redirections in every place are found."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched


@pytest.mark.parametrize(
    ("program", "targets"),
    [
        ('{print > "q"}', ["write q"]),
        ('{print $1, $2 >> "q"}', ["append q"]),
        ('{printf "%s>\\n", $1 > "q"; close("q")}', ["write q"]),
        ('{print (1 > 2) > "q"}', ["write q"]),
        ('BEGIN{f = "q"; print 1 > f}', ["write q"]),
        ('{print > "out/" "q"}', ["write out/q"]),
        ('{print | "cat > q"}', ["write q"]),
        ('BEGIN{system("touch q")}', ["write q"]),
        ('BEGIN{"touch q" | getline}', ["write q"]),
        ('BEGIN{c = "touch q"; c | getline x}', ["write q"]),
        ('NR > 1 {print > "q"} /a>b/ {next}', ["write q"]),
    ],
)
def test_what_a_program_writes(program, targets):
    assert touched(f"awk '{program}' a.txt") == targets


@pytest.mark.parametrize(
    "program",
    [
        "$1 > 3", "NR>1{print}", "{print ($1 > 3)}", "{if ($1 > 3) print}", '{x = $1 > 2 ? "a" : "b"; print x}', "/>/{print}",
        '{print "a > b"}', '{print > "/dev/stderr"}', '{gsub(/>/, "<"); print}', 'BEGIN{while((getline l < "a.txt") > 0) n++}',
        "{print $1 / 2 / 3}", "# print > q\n{print}", "/[/]>/", "length > 80",
    ],
)  # fmt: skip
def test_what_only_looks_like_writing(program):
    assert is_clean(f"awk '{program}' a.txt")


@pytest.mark.parametrize(
    "text",
    [
        "awk '{print > $1}' a.txt",
        "awk '{print > FILENAME \".x\"}' a.txt",
        "awk '{print | $1}' a.txt",
        "awk '{system($0)}' a.txt",
        "awk -f x.awk a.txt",
        "awk -i mylib '{print}' a.txt",
        "awk '@load \"x\"; {print}' a.txt",
        'awk "$X" a.txt',
        'awk "{print > \\"$X\\"}" a.txt',
    ],
)
def test_what_is_computed_is_opaque(text):
    assert is_opaque(text)


def test_editing_in_place():
    assert touched("gawk -i inplace '{print}' a.txt b.md") == ["write a.txt", "write b.md"]
    assert touched("awk -iinplace -v INPLACE_SUFFIX=.o '{print}' a.txt") == ["write a.txt", "write a.txt.o"]


def test_variables_given_on_the_command_line():
    assert touched("awk -v f=q '{print > f}' a.txt") == ["write q"]
    assert is_clean("awk -v x=\"$X\" '{print x}' a.txt")


def test_a_program_on_standard_input():
    assert touched("awk -f - a.txt <<< '{print > \"q\"}'") == ["write q"]
