"""The walk keeps the shell's state as bash would, and keeps every way in which a command may go."""

from __future__ import annotations

import pytest

from support.memory_view import MemoryView
from support.shell_calls import extracted, is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cd docs && rm x.md", ["docs/x.md"]),
        ("cd docs; rm x.md; cd ..; rm a.txt", ["a.txt", "docs/x.md"]),
        ("cd docs; cd -; rm a.txt", ["a.txt"]),
        ("cd docs/sub/..; rm x.md", ["docs/x.md"]),
        ("cd; rm q", ["/home/dev/q"]),
        ("cd linked; rm x.md", ["docs/x.md"]),
        ("cd linked/..; rm a.txt", ["a.txt"]),
        ("cd -P linked; rm ../a.txt", ["a.txt"]),
        ("(cd docs); rm a.txt", ["a.txt"]),
        ("cd docs | true; rm a.txt", ["a.txt"]),
        ("cd docs & rm a.txt", ["a.txt"]),
        ("{ cd docs; }; rm x.md", ["docs/x.md"]),
        ("pushd docs; rm x.md; popd; rm a.txt", ["a.txt", "docs/x.md"]),
        ("cd nowhere; rm q", ["nowhere/q", "q"]),
        ("cd nowhere && rm q", ["nowhere/q"]),
        ("cd nowhere || exit; rm q", ["nowhere/q"]),
        ("mkdir new && cd new; rm q", ["new/q"]),
        ("if cd docs; then rm x.md; fi", ["docs/x.md"]),
        ("cd docs || cd out; rm q", ["docs/q"]),
    ],
)
def test_the_directory_follows_cd(text, paths):
    assert written(text) == paths


def test_a_directory_that_is_not_known_makes_relative_operands_opaque():
    assert is_opaque('cd "$X" && rm q')
    assert not is_opaque('cd "$X" && rm /repo/q')


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("F=x; (F=y); touch $F", ["x"]),
        ("F=x; { F=y; }; touch $F", ["y"]),
        ("F=x; F=y | true; touch $F", ["x"]),
        ("if c; then F=x; else F=y; fi; touch $F", ["x", "y"]),
        ("case $X in a) F=x;; *) F=y;; esac; touch $F", ["x", "y"]),
        ("c && F=x || F=y; touch $F", ["x", "y"]),
        ("F=x; unset F; touch q$F", ["q"]),
        ("f() { local F=y; }; F=x; f; touch $F", ["x"]),
        ("f() { F=y; }; F=x; f; touch $F", ["y"]),
        ("F=x bash -c 'touch $F'; touch q$F.", ["x"]),
        ("export F=x; bash -c 'touch $F'", ["x"]),
        ("read -r F <<< x; touch $F", ["x"]),
        ("IFS=, read -r F G <<< x,y; touch $G", ["y"]),
        ("mapfile -t L <<< $'x\\ny'; touch \"${L[@]}\"", ["x", "y"]),
        ("printf -v F '%s.md' x; touch $F", ["x.md"]),
        ("F=a; F+=b; touch $F", ["ab"]),
    ],
)
def test_variables_have_the_scope_of_bash(text, paths):
    assert written(text) == paths


def test_a_variable_of_the_calling_shell_is_not_passed_on_unless_exported():
    assert is_opaque("F=x; bash -c 'touch $F'")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("for f in x y; do touch $f; done", ["x", "y"]),
        ("for f; do touch q; done", []),
        (
            "for f in docs/*.md; do mv $f ${f%.md}.txt; done",
            ["docs/x.md", "docs/x.txt", "docs/y.md", "docs/y.txt"],
        ),
        ("for ((i = 0; i < 3; i++)); do touch f$i; done", ["f0", "f1", "f2"]),
        ("i=0; while [ $i -lt 2 ]; do touch f$i; i=$((i + 1)); done", ["f0", "f1"]),
        ("i=2; until ((i == 0)); do touch f$i; ((i--)); done", ["f1", "f2"]),
        ("while read -r f; do touch $f; done <<< $'x\\ny'", ["x", "y"]),
        ("printf 'x\\ny\\n' | while read f; do touch $f; done", ["x", "y"]),
        ("while true; do touch x; break; touch y; done; touch z", ["x", "y", "z"]),
        ("while c; do touch x; done", ["x"]),
        ("select f in x; do touch $f; break; done", ["x"]),
    ],
)
def test_loops_are_followed(text, paths):
    assert written(text) == paths


def test_what_a_loop_of_unknown_length_assigns_is_unknown():
    assert is_opaque("n=0; while c; do n=$((n + 1)); done; touch f$n")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("f() { touch $1; }; f x", ["x"]),
        ('function f { touch "$@"; }; f x y', ["x", "y"]),
        ("f() ( cd docs; touch x ); f; touch y", ["docs/x", "y"]),
        ("f() { touch $1; return; touch q; }; f x; touch y", ["q", "x", "y"]),
        ("cp() { :; }; cp a.txt q", []),
        ("cp() { :; }; command cp a.txt q", ["q"]),
        ("f() { touch x; }; g() { f; }; g", ["x"]),
        ("f() { :; } > x; f", ["x"]),
        ("f() { touch x; }", []),
        ("f() { cd docs; }; f; touch q", ["docs/q"]),
    ],
)
def test_functions_are_inlined(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("ln -s docs q; touch q/n", ["docs/n", "q"]),
        ("ln -s docs/x.md q; echo x > q", ["docs/x.md", "q"]),
        ("ln docs/x.md q; echo x > q", ["docs/x.md", "q"]),
        ("mkdir q; cp a.txt q", ["q/a.txt"]),
        ("rm -r docs; cp a.txt docs", ["docs", "docs/a.txt"]),
        ("mv docs q; touch q/x.md", ["docs", "q", "q/x.md"]),
        ("cp -r docs q; cp a.txt q", ["q", "q/a.txt"]),
        ("rm link.md; echo x > link.md", ["link.md"]),
        ("(mkdir q); cp a.txt q", ["q/a.txt"]),
        ("touch out/q.log; rm out/*.log", ["out/*.log", "out/q.log"]),
    ],
)
def test_what_the_command_did_to_the_disk_counts_for_what_follows(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    [
        "false && rm a.txt",
        "true || rm a.txt",
        "exit; rm a.txt",
        "if false; then rm a.txt; fi",
        "exec ls; rm a.txt",
    ],
)
def test_code_that_can_not_run_is_looked_at_all_the_same(text):
    """The outcome may be our mistake."""
    assert touched(text) == ["delete a.txt"]


@pytest.mark.parametrize(
    "text",
    ["rm a.txt & wait", "! rm a.txt", "{ rm a.txt; }", "time rm a.txt", "coproc rm a.txt", "rm a.txt | cat"],
)
def test_every_kind_of_command_is_walked(text):
    assert touched(text) == ["delete a.txt"]


def test_an_alias_is_told_and_its_name_followed():
    found = extracted("alias rm='rm -i'\nrm a.txt")

    assert [target.path for target in found.targets] == ["/repo/a.txt"]
    assert "alias" in found.opaque[0].why


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1000 + "rm x" + ")" * 1000,
        "echo $((" + "(" * 800 + "1" + ")" * 800 + "))",
        "f() { f; }; f",
        "f() { f | f & }; f",
        'x=\'eval "$x"\'; eval "$x"',
        "touch " + "{a,b}" * 20,
        "touch {1..999999999}",
        "touch " + " ".join(f"f{i}" for i in range(3000)),
        "for i in 1 2 3 4 5 6 7 8 9; do " * 9 + "touch x$i;" + " done;" * 9,
        "x=" + "a" * 9000 + "; echo ${x//*(a)*(a)b/c}",
        "echo " + "a" * (1 << 20),
        "echo \0 > x",
        "echo \udc80 > x",
        "echo 'unterminated",
        "if true; then rm x",
    ],
    ids=range(15),
)
def test_what_goes_beyond_the_bounds_is_opaque(text):
    assert extracted(text).opaque


def test_beyond_the_bounds_names_in_the_text_are_kept():
    """A long text is no way around the rule on opaque parts."""
    found = extracted("echo '" + "x " * 600_000 + "' > .recursive/run/r1/02-to-be-plan.md")

    assert "/repo/.recursive/run/r1/02-to-be-plan.md" in found.opaque[0].words


def test_a_disk_that_can_not_be_looked_at_is_opaque():
    found = extracted("rm .recursive/run/r1/02-to-be-plan.md", view=MemoryView(budget=0))

    assert found.opaque[0].words == ("/repo/.recursive/run/r1/02-to-be-plan.md",)


def test_reading_stays_clean_however_it_is_wrapped():
    assert is_clean("for f in docs/*.md; do if grep -q x $f; then cat $f | head -3; fi; done 2>/dev/null")
