"""Loops go round by round while that can be told, else once for any number of rounds."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import MAX_ROUNDS
from support.shell_calls import extracted, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("for i in a b; do touch $i; done; touch last-$i", ["a", "b", "last-b"]),
        ("for i in; do touch $i; done", []),
        ("for i in a b c; do [ $i = b ] && continue; touch $i; done", ["a", "b", "c"]),
        ("for i in a b c; do touch $i; break; done; touch z$i", ["a", "za"]),
        ("for i in a b; do for j in 1 2; do touch $i$j; done; done", ["a1", "a2", "b1", "b2"]),
        ("for i in a b; do cd docs; touch q; cd ..; done", ["docs/q"]),
        ("for d in docs out; do (cd $d && touch q); done", ["docs/q", "out/q"]),
        ("set -- p q; for i; do touch $i; done", ["p", "q"]),
        ("f() { for i; do touch $i; done; }; f p q", ["p", "q"]),
        ("for i in {1..3}; do touch f$i; done", ["f1", "f2", "f3"]),
        ("for i in $(seq 2); do touch f$i; done", ["f1", "f2"]),
        ("for ((i = 2; i > 0; i--)); do touch f$i; done; touch z$i", ["f1", "f2", "z0"]),
        ("for ((;;)); do touch x; break; done", ["x"]),
        ("while false; do touch x; done", []),
        ("until true; do touch x; done", []),
        ("i=0; while ((i < 3)); do ((i++)); [ $i = 2 ] && break; done; touch f$i", ["f2"]),
        ("while read a b; do touch $b; done <<< 'p q'", ["q"]),
        ("while IFS=: read -r a b; do touch $b; done < <(echo p:q)", ["q"]),
        ("echo p | while read l; do F=$l; touch $F; done", ["p"]),
        ("for i in docs/*.md; do cp $i out; done", ["out/x.md", "out/y.md"]),
    ],
)  # fmt: skip
def test_rounds_that_are_known(text, paths):
    assert written(text) == paths
    assert not is_opaque(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("for i in $X; do touch q; done", "q"),
        ("for i in a $X; do touch $i; done", "a"),
        ("while c; do touch q; done", "q"),
        ("until c; do touch q; done", "q"),
        ("select i in a b; do touch $i; done", "b"),
        ("while read l; do touch q; done < a.txt", "q"),
    ],
)
def test_a_body_is_looked_at_however_often_it_runs(text, path):
    assert path in written(text)


@pytest.mark.parametrize(
    "text",
    [
        "for i in $X; do touch $i; done",
        "while read l; do touch $l; done < a.txt",
        "n=a; while c; do n=$n$n; done; touch $n",
        "while c; do n=x; done; touch $n",
        "ls | while read l; do rm $l; done",
        "for i in " + " ".join(f"f{n}" for n in range(MAX_ROUNDS + 1)) + "; do touch x$i; done",
        "for ((i = 0; i < 1000; i++)); do touch f$i; done",
        "i=0; while ((i < 1000)); do ((i++)); done; touch f$i",
    ],
)  # fmt: skip
def test_what_a_loop_leaves_open_is_unknown(text):
    assert is_opaque(text)


def test_a_directory_that_moves_in_each_round_is_lost():
    found = extracted("while c; do cd sub; touch q; done")

    assert found.opaque
    assert "/repo/sub/q" in {target.path for target in found.targets}


def test_an_endless_loop_ends():
    assert touched("while true; do touch x; done; touch y") == ["write x", "write y"]
    assert touched("while :; do :; done") == []
