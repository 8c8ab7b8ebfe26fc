"""`find`: its tests select files on disk, its actions change them."""

from __future__ import annotations

import pytest

from support.memory_view import MemoryView
from support.shell_calls import extracted, is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("find docs -name '*.md' -delete", ["docs/sub/z.md", "docs/x.md", "docs/y.md"]),
        ("find docs -maxdepth 1 -name '*.md' -delete", ["docs/x.md", "docs/y.md"]),
        ("find docs -mindepth 2 -type f -delete", ["docs/sub/z.md"]),
        ("find docs -type f ! -name x.md -exec rm {} +", ["docs/sub/z.md", "docs/y.md"]),
        ("find docs -name x.md -o -name y.md -exec rm {} \\;", ["docs/y.md"]),
        ("find docs \\( -name x.md -o -name y.md \\) -exec rm {} \\;", ["docs/x.md", "docs/y.md"]),
        ("find docs -name sub -prune -o -type f -exec rm {} \\;", ["docs/x.md", "docs/y.md"]),
        ("find docs -iname X.MD -exec cp a.txt {} \\;", ["docs/x.md"]),
        ("find docs -path '*sub/*' -delete", ["docs/sub/z.md"]),
        ("find docs -name x.md -exec sh -c 'echo q > $1.bak' _ {} \\;", ["docs/x.md.bak"]),
        ("find docs -name z.md -execdir touch {}.q \\;", ["docs/sub/z.md.q"]),
        ("find . -maxdepth 1 -name a.txt -exec mv {} docs \\;", ["a.txt", "docs/a.txt"]),
        ("find docs out -name '*.txt' -delete", ["out/old.txt"]),
        ("find docs -fprint q", ["q"]),
        ("find docs -fprintf q '%p'", ["q"]),
        ("find docs -name '*.md' -print0 | xargs -0 rm", ["docs/sub/z.md", "docs/x.md", "docs/y.md"]),
        ("find docs -name x.md | while read f; do rm $f; done", ["docs/x.md"]),
        ("rm $(find docs -name x.md)", ["docs/x.md"]),
        ("find missing -delete", []),
        ("find docs -name nothing -delete", []),
    ],
)
def test_known_selections(text, paths):
    assert written(text) == paths
    assert not is_opaque(text)


def test_a_test_that_can_not_be_told_names_every_file_that_may_be_meant():
    found = extracted("find docs -name '*.md' -mtime +3 -delete")

    assert found.opaque
    assert not found.opaque[0].destroys
    assert len(found.targets) == 3


@pytest.mark.parametrize(
    "text", ['find "$X" -delete', "find docs -name $X -exec rm {} \\;", "find docs -delete -unknown"]
)
def test_what_is_not_known(text):
    assert is_opaque(text)


def test_a_tree_too_large_to_search_is_endangered():
    view = MemoryView()
    for number in range(1500):
        view.add_file(f"/repo/big/f{number}")
    found = extracted("find big -type f -mtime +1 -delete", view=view)

    assert found.opaque[0].destroys == ("/repo/big",)


@pytest.mark.parametrize(
    "text",
    [
        "find . -name '*.md'", "find docs -type f -newer a.txt -print", "find . -exec grep -l x {} +", "find . -size +1k -ls",
        "find . -name x -print0 | xargs -0 wc -l", "find docs -printf '%p > %s\\n'", "find . -exec sh -c 'cat \"$1\"' _ {} \\;",
        "fd -e md", "fd x docs",
    ],
)  # fmt: skip
def test_searching_changes_nothing(text):
    assert is_clean(text)


def test_searching_a_large_tree_for_output_costs_no_doubt():
    view = MemoryView()
    for number in range(3000):
        view.add_file(f"/repo/big/f{number}")

    assert not extracted("find big -name '*.py' | head", view=view).opaque


def test_fd_that_runs_a_command_is_opaque():
    assert is_opaque("fd -e md -x rm")
    assert touched("fd -e md -x rm") == []
