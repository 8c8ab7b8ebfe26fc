import time

import pytest

from phasegate.memory.globs import candidates, clean_pattern, glob_matches


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/a.ts", "src/a.ts"),
        ("src/*.ts", "src/a.ts"),
        ("src/**", "src/x/y/a.ts"),
        ("**/a.ts", "a.ts"),
        ("**/a.ts", "x/y/a.ts"),
        ("src/**/b/*.ts", "src/x/b/y/b/a.ts"),
        ("src", "src/x/a.ts"),
        ("src/", "src/x/a.ts"),
        ("s?c/*", "src/a"),
    ],
)
def test_covers(pattern, path):
    assert glob_matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("src/a.ts", "src/a.tsx"), ("src/*.ts", "src/x/a.ts"), ("a.ts", "x/a.ts"), ("src", "srcs/a"), ("", "a")],
)
def test_does_not_cover(pattern, path):
    assert not glob_matches(pattern, path)


def test_a_hostile_pattern_ends():
    start = time.monotonic()
    glob_matches("*a" * 200 + "b", "a" * 500)
    glob_matches("**/a/" * 50 + "b", "a/" * 250 + "c")

    assert time.monotonic() - start < 5


def test_only_paths_with_the_literal_start_are_tried():
    paths = ["lib/a", "src/a", "src/b", "srcx"]

    assert list(candidates("src/*", paths)) == ["src/a", "src/b", "srcx"]
    assert list(candidates("**/a", paths)) == paths


def test_patterns_are_relative_to_the_workspace():
    assert clean_pattern("/src/**") == clean_pattern("./src/**") == "src/**"
    assert clean_pattern("../x") == clean_pattern("x" * 600) == ""
