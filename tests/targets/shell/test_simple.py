"""Simple commands: assignments of their own, functions, programs by their names."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.simple import program_name
from support.shell_calls import extracted, extracted_argv, is_clean, is_opaque, shown, touched, written


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("rm", "rm"), ("/bin/rm", "rm"), ("/usr/local/bin/rm", "rm"), ("rm.exe", "rm"), ("./rm", "./rm"), ("../x/rm", "../x/rm"), ("/repo/rm", "/repo/rm"),
        ("/repo/tools/rm", "/repo/tools/rm"), ("node_modules/.bin/eslint", "eslint"), (".venv/bin/python", "python"), ("/repo/.venv/bin/python", "python"),
        ("/repository/rm", "rm"),
    ],
)  # fmt: skip
def test_a_program_goes_by_its_base_name_unless_it_is_a_script_of_the_workspace(spelled, name):
    assert program_name(spelled, "/repo") == name


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("F=x touch $F", []),
        ("F=x; F=y touch $F", ["x"]),
        ("F=y true; touch q$F", []),
        ("F=x; F=y true; touch $F", ["x"]),
        ("F=x G=${F}y; touch $G", ["xy"]),
        ("$E touch q", []),
        ("E=; $E touch q", ["q"]),
        ("E='touch q'; $E r", ["q", "r"]),
        ("L=(a b); L+=(c); touch ${L[2]}", ["c"]),
        ("L=(a [5]=b c); touch ${L[6]}", ["c"]),
        ("L[2]=x; touch ${L[2]}", ["x"]),
        ("L=(a); L[0]=z; touch ${L[@]}", ["z"]),
        ('L=(docs/*.md); touch "${L[@]}"', ["docs/x.md", "docs/y.md"]),
        ("F=a; F+=b; F+=c; touch $F", ["abc"]),
        ('F=*.md; touch "$F"', ["*.md"]),
        ("F={a,b}; touch $F", ["{a,b}"]),
        ('F=a:~/b; touch "$F"', ["a:/home/dev/b"]),
    ],
)
def test_assignments(text, paths):
    if paths:
        assert written(text) == paths
    else:
        assert is_opaque(text)


@pytest.mark.parametrize(
    "text",
    ["GIT_EDITOR=./x git commit", "LD_PRELOAD=./x.so ls", "BASH_ENV=x.sh bash -c ls", "PAGER='rm a' git log", "PERL5OPT=-Mx perl -e 1", "GIT_SSH_COMMAND=$X git fetch"],
)  # fmt: skip
def test_variables_that_make_a_program_run_another(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text",
    [
        "GIT_EDITOR=true git commit",
        "PAGER=cat git log",
        "GIT_PAGER= git log",
        "EDITOR='code --wait' git status",
        "FOO=x ls",
    ],
)
def test_harmless_variables(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text", ["frob", "frob a.txt", "./x.sh", "$X", "$X a", '"$X"', "x$X", "/repo/tools/rm a"]
)
def test_programs_that_are_not_known(text):
    assert is_opaque(text)


def test_names_are_told_apart_by_letter_case():
    assert is_opaque("RM a.txt")


@pytest.mark.parametrize(
    ("argv", "targets"),
    [
        (["rm", "a b"], ["delete a b"]), (["rm", "$X"], ["delete $X"]), (["rm", "*.md"], ["delete *.md"]), (["rm", "~/x"], ["delete ~/x"]), ([], []),
        (["bash", "-c", "rm a.txt"], ["delete a.txt"]), (["echo", "x", ">", "q"], []), (["rm", "a.txt;", "rm"], ["delete a.txt;", "delete rm"]),
    ],
)  # fmt: skip
def test_without_a_shell_words_mean_themselves(argv, targets):
    assert shown(extracted_argv(argv)) == targets


def test_a_function_hides_the_program_and_may_call_itself():
    assert is_clean("rm() { echo no; }; rm a.txt")
    assert touched('rm() { command rm "$@"; }; rm a.txt') == ["delete a.txt"]
    assert extracted("rm() { rm a.txt; }; rm").opaque


def test_functions_may_be_defined_in_functions():
    assert touched("f() { g() { touch q; }; }; f; g") == ["write q"]
