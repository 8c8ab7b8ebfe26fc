"""Filters between a search and the command that takes its names."""

from __future__ import annotations

import pytest

from support.target_calls import extraction


def found(command):
    result = extraction("Bash", {"command": command})
    return sorted(target.typed for target in result.targets), bool(result.opaque)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("f=$(find src -name app.py | head -1); echo x > $f", ["src/app.py"]),
        ("find src -name app.py | tail -n 1 | xargs rm", ["src/app.py"]),
        ("printf 'b\\na\\nb\\n' | sort -u | xargs touch", ["a", "b"]),
        ("printf 'a\\na\\nb\\n' | uniq | xargs touch", ["a", "b"]),
    ],
)
def test_names_that_pass_whole_are_known(command, names):
    assert found(command) == (names, False)


@pytest.mark.parametrize(
    "command",
    [
        "printf 'a\\nb\\n' | head -1 | xargs touch",
        "printf 'a\\nb\\n' | head -c 1 | xargs touch",
        "printf 'a\\nb\\n' | head x | xargs touch",
        "printf 'a\\nb\\n' | sort x - | xargs touch",
        "printf 'a\\nb\\n' | uniq -c | xargs touch",
    ],
)
def test_what_is_cut_or_mixed_is_not(command):
    assert found(command) == ([], True)


def test_sort_still_writes_its_output():
    assert found("echo a | sort -o out.txt") == (["out.txt"], False)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("t=$(mktemp); echo x > $t; mv $t src/app.py", ["src/app.py"]),
        ("jq . a > tmp.$$ && mv tmp.$$ src/app.py", ["src/app.py"]),
        ("d=$(mktemp -d); cp src/app.py $d; mv $d/app.py src/app.py", ["src/app.py"]),
        ("echo 'echo x > later.txt' | at now", ["later.txt"]),
        ("sqlite3 a.db \"VACUUM INTO 'v.db'\"", ["v.db"]),
        ("gcc -MMD -c a.c -o out/a.o", ["out/a.d"]),
    ],
)
def test_the_file_that_matters_is_named(command, names):
    assert set(names) <= set(found(command)[0])


@pytest.mark.parametrize(
    "command",
    [
        "npm version patch",
        "uv version --bump minor",
        "git rerere",
        "zsh -c 'echo x >! a'",
        "ffmpeg -i a f%d.png",
    ],
)
def test_what_changes_files_of_unknown_names_is_opaque(command):
    assert found(command)[1]


@pytest.mark.parametrize("command", ["npm version", "npm run", "git bisect log", "git rerere status"])
def test_queries_are_left_alone(command):
    assert found(command) == ([], False)
