"""git by subcommand: paths, whole trees, or only what git keeps for itself."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("git checkout -- a.txt", ["write a.txt"]),
        ("git checkout a.txt", ["write a.txt"]),
        ("git checkout HEAD~1 -- a.txt b.md", ["write a.txt", "write b.md"]),
        ("git checkout HEAD~1 a.txt", ["write a.txt"]),
        ("git checkout -- docs", ["write* docs"]),
        ("git restore a.txt", ["write a.txt"]),
        ("git restore --staged --worktree a.txt", ["write a.txt"]),
        ("git restore -s HEAD -- a.txt", ["write a.txt"]),
        ("git restore :/a.txt", ["write a.txt"]),
        ("git rm -q a.txt", ["delete a.txt"]),
        ("git rm -r docs", ["delete* docs"]),
        ("git mv a.txt docs", ["move_to docs/a.txt", "move_from a.txt"]),
        ("git clean -fdx out", ["delete* out"]),
        ("git stash push -- a.txt", ["write a.txt"]),
        ("git stash -- a.txt", ["write a.txt"]),
        ("git checkout-index -f a.txt", ["write a.txt"]),
        ("git checkout-index --prefix=out/ a.txt", ["write out/a.txt"]),
        ("git worktree add out/wt", ["write* out/wt"]),
        ("git clone https://h/r.git", ["write* r"]),
        ("git clone git@h:o/r.git out/q", ["write* out/q"]),
        ("git config -f out/c a.b c", ["write out/c"]),
        ("git config --global a.b c", ["write /home/dev/.gitconfig"]),
        ("git log --output=q", ["write q"]),
        ("git diff --output q", ["write q"]),
        ("git archive -o q HEAD", ["write q"]),
        ("git bundle create q HEAD", ["write q"]),
        ("git -C docs checkout -- x.md", ["write docs/x.md"]),
        ("git -C docs -C sub rm z.md", ["delete docs/sub/z.md"]),
        ("git --git-dir=.git --work-tree=. checkout -- a.txt", ["write a.txt"]),
        ("git apply <<'E'\n--- a/docs/x.md\n+++ b/docs/x.md\n@@ -1 +1 @@\n-a\n+b\nE", ["write docs/x.md"]),
        ("git apply <<'E'\n--- a/docs/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\nE", ["delete docs/x.md"]),
    ],
)
def test_paths(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    [
        "git status", "git log -p", "git diff HEAD -- a.txt", "git show HEAD:a.txt", "git add -A", "git commit -qm 'x > y'",
        "git commit -F - <<'E'\nx > y\nE", "git push origin main", "git fetch", "git branch -D x", "git tag v1", "git remote -v",
        "git checkout -b topic", "git switch -c topic", "git restore --staged .", "git restore -S a.txt", "git reset",
        "git reset HEAD a.txt", "git reset --soft HEAD~1", "git rm --cached a.txt", "git rm -n a.txt", "git mv -n a.txt b",
        "git clean -nd", "git clean --dry-run -x", "git stash list", "git stash show -p", "git stash drop", "git apply --check p",
        "git config user.name x", "git config --get a.b", "git config -l", "git worktree list", "git ls-files | head",
        "git bundle verify q", "git format-patch -1 --stdout", "git archive HEAD | tar t", "git --version", "git help rm",
        "git submodule status", "git lfs ls-files", "git hash-object a.txt", "git -C docs diff", "git checkout --help",
    ],
)  # fmt: skip
def test_what_changes_no_file_of_the_tree(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "git reset --hard", "git reset --har HEAD~1", "git checkout .", "git checkout -- .", "git checkout HEAD -- .",
        "git checkout -f", "git restore .", "git restore :/", "git clean -fdx", "git clean -f", "git clean -xdf -q",
        "git checkout-index -a -f", "git checkout -- '*.md'",
    ],
)  # fmt: skip
def test_whole_trees_that_are_overwritten(text):
    (reason,) = extracted(text).opaque

    assert reason.whole_tree_git
    assert reason.destroys == ("/repo",)


@pytest.mark.parametrize(
    "text",
    [
        "git pull", "git merge x", "git rebase main", "git switch main", "git checkout main", "git checkout -", "git stash",
        "git stash pop", "git cherry-pick x", "git revert x", "git am < p", "git bisect start", "git submodule update",
        "git read-tree -u HEAD", "git sparse-checkout set x", "git lfs pull", "git co x", "git $X", "git apply p.patch",
        "git difftool", "git filter-branch x", "git format-patch -1", "git reset --keep x",
    ],
)  # fmt: skip
def test_what_depends_on_commits_is_opaque_and_endangers_nothing(text):
    reasons = extracted(text).opaque

    assert reasons
    assert all(not reason.destroys and not reason.whole_tree_git for reason in reasons)


def test_only_the_part_of_the_tree_that_a_clean_works_on():
    (reason,) = extracted("cd docs && git clean -fdx").opaque

    assert reason.destroys == ("/repo/docs",)


def test_the_work_tree_given_by_option():
    (reason,) = extracted("git --work-tree=docs checkout -- .").opaque

    assert "/repo" in reason.destroys[0]


def test_a_file_that_is_gone_is_told_beside_the_doubt():
    """`git checkout x.md` restores a deleted file, unless a branch has that name."""
    assert touched("git checkout docs/gone.md") == ["write docs/gone.md"]
    assert is_opaque("git checkout docs/gone.md")


def test_messages_are_data():
    (reason,) = extracted("git commit -m 'see .recursive/run/r1' && git pull").opaque

    assert reason.words == ()


@pytest.mark.parametrize(
    "text", ["git -c alias.x='!rm a' x", "git -c core.pager='rm a' log", "git grep -Orm x"]
)
def test_settings_that_run_a_program(text):
    assert is_opaque(text)


def test_the_top_of_the_tree_is_known():
    assert touched('cd docs; touch "$(git rev-parse --show-toplevel)/q"') == ["write q"]
