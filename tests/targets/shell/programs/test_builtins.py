"""Builtins that change the shell's state."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cd docs; cd sub; touch q", ["docs/sub/q"]),
        ("cd docs; cd ..; touch q", ["q"]),
        ("cd docs; cd - >/dev/null; touch q", ["q"]),
        ("cd -- docs; touch q", ["docs/q"]),
        ("cd ''; touch q", ["q"]),
        ("cd /repo/docs; touch q", ["docs/q"]),
        ("cd ~; touch q", ["/home/dev/q"]),
        ("HOME=/repo/out; cd; touch q", ["out/q"]),
        ("cd -P linked/..; touch q", ["q"]),
        ("cd linked/sub/..; touch q", ["docs/q"]),
        ("set -P; cd linked; touch ../q", ["q"]),
        ("cd missing; touch q", ["missing/q", "q"]),
        ("cd missing || exit 1; touch q", ["missing/q"]),
        ("pushd docs; pushd sub; touch q; popd; touch r; popd; touch s", ["docs/r", "docs/sub/q", "s"]),
        ("pushd docs; pushd; touch q; pushd; touch r", ["docs/r", "q"]),
        ("popd; touch q", ["q"]),
        ("(cd docs; touch q); touch r", ["docs/q", "r"]),
        ("builtin cd docs; touch q", ["docs/q"]),
        ("command cd docs; touch q", ["docs/q"]),
    ],
)
def test_directories(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    [
        "cd $X; touch q",
        "cd -; touch q",
        "CDPATH=docs; cd sub; touch q",
        "popd +1; touch q",
        'cd "$(cmd)"; touch q',
    ],
)
def test_directories_that_are_not_known(text):
    assert is_opaque(text)


def test_a_directory_known_in_part_is_among_those_that_are_possible():
    (reason, *_) = extracted("cd docs/$X; frob q").opaque

    assert "/repo/docs" in reason.cwds
    assert "/repo" in reason.cwds


def test_an_absolute_directory_ends_the_doubt():
    assert not is_opaque("cd $X; cd /repo/docs; touch q")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("set -- a b; touch $1-$#", ["a-2"]),
        ("set a b; touch $2", ["b"]),
        ("set -e; set -- a; touch $1", ["a"]),
        ("set -euo pipefail -- a; touch $1", ["a"]),
        ("set -- a b c; shift; touch $1 $#", ["2", "b"]),
        ("set -- a b c; shift 2; touch $1", ["c"]),
        ("set -f; touch *.md; set +f; touch *.md", ["*.md", "b.md", "docs/x.md"]),
        ("set -o noglob; touch *.md", ["*.md"]),
        ("shopt -s dotglob; touch *ecursive", [".recursive"]),
        ("shopt -s nocaseglob; touch B*", ["b.md"]),
        ("shopt -s nullglob; touch z* q; shopt -u nullglob; touch z*", ["q", "z*"]),
        ("F=x; unset F; touch q$F", ["q"]),
        ("f() { touch q; }; unset -f f; f", []),
        ("a=(p q); unset 'a[0]'; touch q", ["q"]),
        ("read F <<< x; touch $F", ["x"]),
        ("read A B <<< 'x y z'; touch \"$B\"", ["y z"]),
        ("IFS=: read A B <<< x:y:z; touch $B", ["y:z"]),
        ("read <<< x; touch $REPLY", ["x"]),
        ("read -r A <<< 'a\\b'; touch $A", ["a\\b"]),
        ("{ read A; read B; } <<< $'x\\ny'; touch $B", ["y"]),
        ("IFS= read -rd '' A <<< x; touch $A", ["x"]),
        ("mapfile -t L <<< $'x\\ny'; touch ${L[1]}", ["y"]),
        ("readarray -t L < <(printf 'x\\ny\\n'); touch \"${L[@]}\"", ["x", "y"]),
        ("touch x; exit; touch y", ["x", "y"]),
        ("f() { return; touch x; }; f; touch y", ["x", "y"]),
        ("trap 'rm a.txt' EXIT; cd docs", ["a.txt"]),
        ("trap - EXIT", []),
        ("trap '' INT", []),
        ("let n=1+1; touch f$n", ["f2"]),
    ],
)
def test_state(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    [
        "shift $X; touch $1", "read F < a.txt; touch $F", "read -n 3 F <<< abcd; touch $F", "read -a L <<< 'a b'; touch ${L[0]}", "read A <<< 'a\\b'; touch $A",
        "unset $X; F=x; unset $Y; touch $F", "mapfile L <<< x; touch ${L[0]}", "getopts ab opt; touch $opt", 'trap "$X" EXIT', "trap 'if' EXIT",
        "alias x='rm a'; x", "read $X <<< q; touch $F", "a=(p q); unset 'a[0]'; touch ${a[1]}",
    ],
)  # fmt: skip
def test_state_that_is_not_known(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text",
    ["cd docs", "pushd docs; popd", "set -e", "shopt -s globstar", "unset F", "read F < a.txt", "test -f a.txt", "[ a -nt b ]", "exit 1", "shift",
     "umask 022", "ulimit -n 5", "wait", "jobs", "type rm", "hash -r", "times", "unalias x"],
)  # fmt: skip
def test_builtins_change_no_file(text):
    assert is_clean(text)


def test_the_output_of_cd_to_the_directory_before_is_not_known():
    assert is_opaque('cd docs; touch "$(cd -)/q"')
    assert touched('touch "$(cd docs)q"') == ["write q"]
