"""Patterns match the names that are on the disk when the command gets there."""

from __future__ import annotations

import pytest

from support.memory_view import MemoryView
from support.shell_calls import extracted, is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("touch *.txt", ["a.txt"]),
        ("touch */", ["docs", "empty", "out"]),
        ("touch docs/*/*", ["docs/sub/z.md"]),
        ("touch ./*.md", ["b.md", "docs/x.md"]),
        ("touch /repo/docs/x*", ["docs/x.md"]),
        ("cd docs; touch *.md", ["docs/x.md", "docs/y.md"]),
        ("touch docs/../*.txt", ["a.txt"]),
        ("touch linked/x*", ["docs/x.md"]),
        ("touch .rec*/run/*/*.md", [".recursive/run/r1/02-to-be-plan.md"]),
        ("touch docs/[xy].md", ["docs/x.md", "docs/y.md"]),
        ("touch docs/{x,q}*.md", ["docs/q*.md", "docs/x.md"]),
        ("touch docs/'*'.md", ["docs/*.md"]),
        ('touch "docs/"*.md', ["docs/x.md", "docs/y.md"]),
        ("P='docs/*'; touch $P.md", ["docs/x.md", "docs/y.md"]),
        ("shopt -s globstar; touch **/z.md", ["docs/sub/z.md"]),
        ("touch **/z.md", ["**/z.md"]),
        ("shopt -s globstar; touch docs/**/", ["docs", "docs/sub"]),
        ("shopt -s dotglob; touch *", [".git", ".recursive", "a.txt", "b.md", "data.json", "docs", "docs/x.md", "empty", "out"]),
        ("touch docs/*.MD", ["docs/*.MD"]),
        ("shopt -s nocaseglob; touch docs/X*.MD", ["docs/x.md"]),
        ("shopt -s extglob\ntouch docs/+(x|y).md", ["docs/x.md", "docs/y.md"]),
        ("touch new.md; rm *.md", ["b.md", "link.md", "new.md"]),
        ("rm b.md; touch *.md", ["b.md", "docs/x.md"]),
        ("touch docs/*/missing", ["docs/*/missing"]),
        ('F=*.txt; touch "$F"', ["*.txt"]),
        ("echo x > *.txt", ["a.txt"]),
    ],
)  # fmt: skip
def test_names(text, paths):
    assert written(text) == sorted(paths)


@pytest.mark.parametrize("text", ["cd $X; touch *.md", "touch $X/*.md", "touch *.$X"])
def test_names_that_can_not_be_looked_up(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text", ["ls *", "cat $X/*.md", "[[ a == * ]]", "case a in *) ;; esac", "echo ${F#*}", "F=*"]
)
def test_a_pattern_alone_changes_nothing(text):
    assert is_clean(text)


def test_a_directory_too_large_to_list_is_opaque():
    view = MemoryView()
    for number in range(2600):
        view.add_file(f"/repo/big/f{number}")

    assert extracted("touch big/*", view=view).opaque


def test_a_link_that_leads_nowhere_has_a_name_too():
    view = MemoryView()
    view.add_link("/repo/dead.md", "nowhere")

    assert touched("rm *.md", view=view) == ["delete dead.md"]
