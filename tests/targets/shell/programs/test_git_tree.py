"""Git subcommands that rewrite files of the work tree: which tree, and what a pathspec means."""

from __future__ import annotations

import pytest

from support.memory_view import MemoryView
from support.shell_calls import extracted, is_clean, touched


def endangered(text: str, **how) -> list[str]:
    return sorted({path for reason in extracted(text, **how).opaque for path in reason.destroys})


@pytest.mark.parametrize(
    ("text", "trees"),
    [
        ("git checkout -- .", ["/repo"]),
        ("cd docs; git checkout -- .", ["/repo/docs"]),
        ("cd docs; git reset --hard", ["/repo"]),
        ("cd docs; git checkout -- ..", ["/repo"]),
        ("cd docs/sub; git restore :/", ["/repo"]),
        ("cd docs; git clean -fd", ["/repo/docs"]),
        ("cd docs; git checkout-index -fa", ["/repo"]),
        ("git -C docs clean -fdx", ["/repo/docs"]),
        ("git checkout -- 'docs/*.md'", ["/repo/docs"]),
        ("git restore ':(top)'", ["/repo"]),
        ("git checkout HEAD -- /repo", ["/repo"]),
        ("git checkout -f", ["/repo"]),
        ("git restore docs/$X", ["/repo/docs"]),
        ("git reset --hard $X", ["/repo"]),
    ],
)
def test_trees(text, trees):
    assert endangered(text) == trees


def test_a_tree_without_a_repository_is_the_directory_itself():
    view = MemoryView()
    view.add_file("/repo/docs/x.md")

    assert endangered("cd docs; git reset --hard", view=view) == ["/repo/docs"]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("git checkout -- docs/", ["write* docs"]),
        ("git checkout HEAD docs a.txt", ["write* docs", "write a.txt"]),
        ("git checkout -- missing/dir/", ["write* missing/dir"]),
        ("git restore link.md", ["write link.md"]),
        ("git restore ':(top)a.txt'", ["write a.txt"]),
        ("cd docs; git restore :/a.txt", ["write a.txt"]),
        ("git restore -s HEAD~2 docs/x.md docs/y.md", ["write docs/x.md", "write docs/y.md"]),
        ("git restore -- a.txt ':!docs'", ["write a.txt"]),
        ("git clean -f out/old.txt", ["delete out/old.txt"]),
        ("git stash push -m x a.txt", ["write a.txt"]),
        ("git checkout --ours a.txt", ["write a.txt"]),
        ("git checkout -p a.txt", []),
    ],
)
def test_pathspecs(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ["git checkout -b t", "git checkout -b t HEAD", "git checkout HEAD", "git switch -c t", "git switch -c t HEAD", "git restore -S docs", "git reset", "git reset --mixed HEAD~1",
     "git reset --soft X", "git reset -- a.txt", "git clean -ndx", "git stash list", "git stash show", "git read-tree HEAD"],
)  # fmt: skip
def test_what_touches_no_file(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text",
    ["git checkout topic", "git checkout -b t origin/t", "git checkout -p", "git switch topic", "git switch -c t origin/t", "git switch --orphan t", "git reset --keep HEAD~1",
     "git reset --merge", "git stash", "git stash apply", "git read-tree -mu HEAD", "git checkout --pathspec-from-file=q", "git restore -p", "git reset $X"],
)  # fmt: skip
def test_what_depends_on_commits_endangers_nothing(text):
    found = extracted(text)

    assert found.opaque
    assert endangered(text) == []
    assert not any(reason.whole_tree_git for reason in found.opaque)
