"""Copies, moves and links: which names they get, and whether a link is written through."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cp a.txt q", ["q"]),
        ("cp a.txt docs", ["docs/a.txt"]),
        ("cp a.txt docs/", ["docs/a.txt"]),
        ("cp a.txt linked", ["docs/a.txt"]),
        ("cp a.txt b.md docs", ["docs/a.txt", "docs/b.md"]),
        ("cp -t docs a.txt b.md", ["docs/a.txt", "docs/b.md"]),
        ("cp --target-directory=docs a.txt", ["docs/a.txt"]),
        ("cp --targ docs a.txt", ["docs/a.txt"]),
        ("cp -T a.txt docs", ["docs"]),
        ("cp -- a.txt -q", ["-q"]),
        ("cp a.txt q -f", ["q"]),
        ("cp a.txt link.md", ["docs/x.md"]),
        ("cp --remove-destination a.txt link.md", ["link.md"]),
        ("cp -b a.txt link.md", ["link.md", "link.md~"]),
        ("cp -S .old a.txt b.md", ["b.md", "b.md.old"]),
        ("cp --backup=numbered a.txt b.md", ["b.md", "b.md.~1~"]),
        ("cp -b a.txt new", ["new"]),
        ("cp --backup=numbered a.txt b.md; cp --backup=t a.txt b.md", ["b.md", "b.md.~1~", "b.md.~2~"]),
        ("cp --backup=t a.txt b.md; cp -b a.txt b.md", ["b.md", "b.md.~1~", "b.md.~2~"]),
        ("cp --backup=t a.txt b.md; cp --backup=simple a.txt b.md", ["b.md", "b.md.~1~", "b.md~"]),
        ("cp --backup=off a.txt b.md", ["b.md"]),
        ("rm -i b.md; cp -b a.txt b.md", ["b.md", "b.md~"]),
        (
            "mkdir out/docs; touch out/docs/x.md; cp --parents -b docs/x.md out",
            ["out/docs/x.md", "out/docs/x.md~"],
        ),
        ("cp --parents docs/x.md out", ["out/docs/x.md"]),
        ("cp -n a.txt new", ["new"]),
        ("cp -r linked out", ["out/linked"]),
        ("cp -n a.txt b.md", []),
        ("cp docs/*.md out", ["out/x.md", "out/y.md"]),
        ("cp -s /repo/a.txt q", ["q"]),
        ("cp a.txt /dev/null", []),
        ("cp a.txt", []),
        ("install -m 644 a.txt link.md", ["link.md"]),
        ("install -d q/r", []),
        ("install -D a.txt q/r/s", ["q/r/s"]),
        ("link a.txt q", ["q"]),
        ("ln -s docs/x.md q", ["q"]),
        ("ln -sf a.txt docs", ["docs/a.txt"]),
        ("ln -s docs/x.md a.txt; echo > a.txt", ["a.txt"]),
        ("ln -sf docs/x.md a.txt; echo > a.txt", ["a.txt", "docs/x.md"]),
        ("ln -s docs/x.md q || ln -s docs/y.md q; echo > q", ["docs/x.md", "docs/y.md", "q"]),
        ("cp a.txt q || ln -s docs/y.md q; echo > q", ["docs/y.md", "q"]),
        ("ln -sfn a.txt linked", ["linked"]),
        ("ln -s ../a.txt", ["a.txt"]),
        ("dd if=a.txt of=link.md bs=1", ["docs/x.md"]),
        ("dd if=a.txt", []),
        ("dd if=a.txt of=/dev/null", []),
        ("rsync a.txt link.md", ["link.md"]),
        ("rsync a.txt docs/", ["docs/a.txt"]),
        ("rsync --inplace a.txt link.md", ["docs/x.md"]),
        ("rsync -a a.txt host:/x", []),
        ("rsync -an docs/ out/", []),
        ("scp host:/x.md docs", ["docs/x.md"]),
        ("scp a.txt host:/x", []),
    ],
)
def test_the_names_that_are_written(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("mv a.txt q", ["move_to q", "move_from a.txt"]),
        ("mv a.txt docs", ["move_to docs/a.txt", "move_from a.txt"]),
        ("mv docs q", ["move_to* q", "move_from* docs"]),
        ("mv -b a.txt b.md", ["write b.md~", "move_to b.md", "move_from a.txt"]),
        ("mv link.md q", ["move_to q", "move_from link.md"]),
        ("mv --exchange a.txt b.md", ["move_to b.md", "move_to a.txt", "move_from a.txt"]),
        ("cp -r docs q", ["write* q"]),
        ("cp -r docs/. out", ["write* out"]),
        ("cp -a linked q", ["write q"]),
        ("cp -a linked/ q", ["write* q"]),
        ("cp -rL linked q", ["write* q"]),
        ("cp -rH linked out", ["write* out/linked"]),
        ("cp -aL --parents linked out", ["write* out/linked"]),
        ("rsync -aL linked out/", ["write* out/linked"]),
        ("rsync -a --delete docs/ out/", ["delete* out", "write* out"]),
        ("rsync -a docs out/", ["write* out/docs"]),
        ("rsync --remove-source-files a.txt out/", ["delete a.txt", "write out/a.txt"]),
        ("rsync -a host:/x/ out/", ["write* out"]),
        ("dd if=a.txt of=q oflag=append conv=notrunc", ["append q"]),
    ],
)
def test_what_happens_to_each(text, targets):
    assert touched(text) == targets


def test_operands_that_are_not_known():
    assert is_opaque("cp a.txt $X")
    assert is_opaque("cp $X")
    assert is_opaque("mv $X docs")
    assert is_opaque("cp -t $X a.txt")
    assert is_opaque("rsync -e 'sh -c x' a b:")


def test_a_target_is_told_even_beside_an_operand_that_is_not_known():
    assert "write docs/a.txt" in touched("cp $X a.txt docs")


@pytest.mark.parametrize("text", ["cp --help", "mv --version", "ln --help", "cp --vers"])
def test_asking_changes_nothing(text):
    assert is_clean(text)
