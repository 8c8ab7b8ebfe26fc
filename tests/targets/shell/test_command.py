"""How a command reports: targets with their cause, and parts that are not known with all that is."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.command import is_sink
from support.shell_calls import extracted, is_clean, touched

PLAN = "/repo/.recursive/run/r1/02-to-be-plan.md"


@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("rm a.txt", "rm"), ("echo x > q", ">"), ("echo x >> q", ">>"), ("ls &> q", "&>"), ("sed -i s/a/b/ a.txt", "sed -i"), ("perl -pi -e 1 a.txt", "perl -i"),
        ("tee q", "tee"), ("sort -o q a.txt", "sort -o"), ("curl -o q http://h", "curl -o"), ("dd of=q", "dd of="), ("git rm a.txt", "git rm"),
        ("sudo rm a.txt", "rm"), ("bash -c 'rm a.txt'", "rm"), ("find docs -name x.md -delete", "find -delete"), ("python3 -c \"open('q','w')\"", "python3 open"),
        ("xargs rm <<< a.txt", "rm"), ("mv a.txt q", "mv"), ("gpg -o q -c a.txt", "gpg -o"), ("/bin/rm a.txt", "rm"),
    ],
)  # fmt: skip
def test_the_cause_of_a_target(text, via):
    assert {target.via for target in extracted(text).targets} == {via}


def test_a_target_is_told_as_spelled_lexically_and_for_real():
    (target,) = extracted("cd linked; echo x > ../docs/../link.md").targets

    assert target.typed == "../docs/../link.md"
    assert target.path == "/repo/docs/x.md"
    assert target.lexical == "/repo/link.md"


@pytest.mark.parametrize(
    "path",
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/3", "/dev/tcp/h/80", "/proc/self/fd/1"],
)
def test_sinks(path):
    assert is_sink(path)
    assert is_clean(f"echo x > {path}")


@pytest.mark.parametrize("path", ["/dev/sda", "/dev/nullx", "null", "/dev/q", "/dev/../repo/a.txt"])
def test_what_is_no_sink(path):
    assert not is_sink(path)
    assert touched(f"echo x > {path}")


def test_the_spelled_path_of_a_script_is_among_the_words():
    assert PLAN in extracted("./.recursive/run/r1/02-to-be-plan.md").opaque[0].words


@pytest.mark.parametrize(
    ("text", "cwds"),
    [
        ("frob x", ("/repo",)),
        ("cd docs; frob x", ("/repo/docs",)),
        ("(cd docs); frob x", ("/repo",)),
        ("env -C docs frob x", ("/repo/docs",)),
        ("cd .recursive && bash -c 'frob x'", ("/repo/.recursive",)),
    ],
)
def test_the_directories_a_part_could_run_in(text, cwds):
    assert extracted(text).opaque[0].cwds == cwds


def test_every_directory_that_is_possible_is_told():
    reasons = extracted("c && cd docs; frob x").opaque

    assert {"/repo", "/repo/docs"} <= {cwd for reason in reasons for cwd in reason.cwds}


@pytest.mark.parametrize(
    ("text", "destroys"),
    [
        ("rm -rf docs/$X", ("/repo/docs",)),
        ('rm -rf "$X/.recursive"', ()),
        ("rm -r .recursive/run/$X", ("/repo/.recursive/run",)),
        ("mv docs/$X /tmp", ("/repo/docs",)),
        ("git clean -fdx", ("/repo",)),
        ("git clean -fdx docs/$X", ("/repo/docs",)),
        ("touch docs/$X", ()),
        ("frob docs", ()),
    ],
)
def test_the_directories_that_a_part_endangers(text, destroys):
    found = extracted(text).opaque

    assert tuple(dict.fromkeys(path for reason in found for path in reason.destroys)) == destroys


@pytest.mark.parametrize(
    ("text", "whole"),
    [("git checkout .", True), ("git reset --hard", True), ("git clean -fd", True), ("git pull", False), ("git checkout main", False), ("frob .", False)],
)  # fmt: skip
def test_whole_trees_are_marked(text, whole):
    assert [reason.whole_tree_git for reason in extracted(text).opaque] == [whole]


def test_a_reason_says_what_to_do():
    for reason in extracted("frob $X; tar xf q; git pull; curl -K c").opaque:
        assert reason.remedy
        assert reason.why[0].islower() or reason.why[0] == "`"
        assert not reason.why.endswith(".")
