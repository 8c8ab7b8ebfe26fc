"""Git subcommands that write the files or directories they are given."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("git rm -rf docs a.txt", ["delete* docs", "delete a.txt"]),
        ("git rm 'docs/x.md'", ["delete docs/x.md"]),
        (
            "git mv a.txt b.md docs",
            ["move_to docs/a.txt", "move_to docs/b.md", "move_from a.txt", "move_from b.md"],
        ),
        ("git mv -k docs new", ["move_to* new", "move_from* docs"]),
        ("git checkout-index -f -- a.txt", ["write a.txt"]),
        ("git checkout-index -a --prefix=out/", ["write* out"]),
        ("git worktree add -b topic out/w main", ["write* out/w"]),
        ("git worktree remove -f out/w", ["delete* out/w"]),
        ("git worktree move out/w out/v", ["move_from* out/w", "move_to* out/v"]),
        ("git clone https://h/o/r", ["write* r"]),
        ("git clone --depth 1 -b main https://h/o/r.git/", ["write* r"]),
        ("git clone --bare ssh://h/o/r.git", ["write* r.git"]),
        ("git clone h:r", ["write* r"]),
        ("git clone https://h/r docs/r", ["write* docs/r"]),
        ("git config --file=q a.b c", ["write q"]),
        ("git config --global --unset a.b", ["write /home/dev/.gitconfig"]),
        ("git config --system a.b c", ["write /etc/gitconfig"]),
        ("git archive --output=q.zip HEAD", ["write q.zip"]),
        ("git bundle create q.b --all", ["write q.b"]),
        ("git interpret-trailers --in-place --trailer 'A: b' a.txt", ["write a.txt"]),
        (
            "git apply --directory=docs <<'E'\n--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n-a\n+b\nE",
            ["write docs/x.md"],
        ),
        ("git apply -p0 <<'E'\n--- docs/x.md\n+++ docs/x.md\n@@ -1 +1 @@\n-a\n+b\nE", ["write docs/x.md"]),
        ("printf -- '--- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-a\\n+b\\n' | git apply", ["write a.txt"]),
    ],
)
def test_paths(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ["git rm --cached -r docs", "git rm -n a.txt", "git mv -n a.txt q", "git worktree list", "git worktree prune", "git config a.b c", "git config --get a.b",
     "git config -f q -l", "git config --global --get a.b", "git archive HEAD", "git bundle verify q", "git bundle list-heads q", "git apply --stat p", "git apply --cached p",
     "git format-patch --stdout HEAD~1", "git interpret-trailers --parse a.txt", "git lfs env", "git submodule"],
)  # fmt: skip
def test_what_touches_no_file(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text",
    ["git rm $X", "git rm --pathspec-from-file=q", "git mv $X docs", "git apply p.diff", "git apply < p.diff", "git am p", "git clone $X", "git worktree frob", "git bundle frob",
     "git format-patch HEAD~1", "git submodule foreach rm a", "git lfs checkout", "git config -f $X a.b c", "git archive -o $X HEAD"],
)  # fmt: skip
def test_what_is_not_known(text):
    assert is_opaque(text)
