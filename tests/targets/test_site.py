"""Where a call runs, and which places a word could name there."""

from __future__ import annotations

import pytest

from phasegate.core.ports import FileStat
from phasegate.errors import FactsUnreadable, ViewExhausted
from phasegate.targets.site import MAX_WORDS, bases, mentioned, words_of, working_directory
from support.memory_view import MemoryView
from support.target_calls import RUN, site, workspace_view


@pytest.mark.parametrize(
    ("cwd", "root", "expected"),
    [
        ("/repo/src", "/repo", "/repo/src"),
        ("src", "/repo", "/repo/src"),
        ("", "/repo", "/repo"),
        ("//repo/src", "/repo", "/repo/src"),
        ("C:\\w", "/repo", "/repo"),
        ("C:\\w\\src", "C:\\w", "C:/w/src"),
        ("src", "C:\\w", "C:/w/src"),
        ("", "C:\\w", "C:/w"),
    ],
)
def test_the_working_directory_is_absolute_in_the_style_of_the_root(cwd, root, expected):
    assert working_directory(cwd, root) == expected


@pytest.mark.parametrize(
    ("args", "own", "expected"),
    [
        ({}, "", ("/repo",)),
        ({"cwd": "src"}, "", ("/repo", "/repo/src")),
        ({"cwd": "src"}, "cwd", ("/repo/src",)),
        ({"workdir": "src"}, "cwd", ("/repo", "/repo/src")),
        ({"cwd": "alias"}, "cwd", (f"/repo/{RUN}",)),
        ({"cwd": "file:///repo/src"}, "cwd", ("/repo/src",)),
        ({"cwd": "  "}, "cwd", ("/repo",)),
        ({"cwd": 7}, "cwd", ("/repo",)),
        ({"cwd": "x" * 9000}, "cwd", ("/repo",)),
        ({"cwd": "src", "working_directory": "docs"}, "", ("/repo", "/repo/src", "/repo/docs")),
        ({"k" * 9000: "src"}, "", ("/repo",)),
    ],
)
def test_directories_that_relative_paths_are_taken_from(args, own, expected):
    assert bases(args, site(), frozenset(own.split())) == expected


def test_words_lose_their_quotes_and_brackets():
    assert words_of("f(\"a b\", 'c')>d;e") == ["f", "a", "b", "c", "d", "e"]


def test_mentions_follow_links():
    assert mentioned(site(), ["alias/x", "", "https://example.test/x"]) == (f"/repo/{RUN}/x",)


def test_mentions_are_bounded():
    assert len(mentioned(site(), [f"w{n}" for n in range(1000)])) == MAX_WORDS


class Closed(MemoryView):
    """A disk that refuses every look-up."""

    def lstat(self, path: str) -> FileStat | None:
        raise FactsUnreadable(f"{path} can't be read")


def test_a_word_that_cannot_be_looked_at_is_kept_as_spelled():
    assert mentioned(site(Closed()), ["a/../b"]) == ("/repo/b",)


def test_a_spent_budget_is_not_hidden():
    view = workspace_view()
    view._budget = 0
    with pytest.raises(ViewExhausted):
        mentioned(site(view), ["a"])
