"""`xargs` and `parallel`: literal lists are followed, unknown ones make an operand unknown."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("echo a.txt | xargs rm", ["a.txt"]),
        ("echo a.txt b.md | xargs -n1 rm", ["a.txt", "b.md"]),
        ("printf 'a.txt\\nb.md\\n' | xargs rm", ["a.txt", "b.md"]),
        ("printf 'a b\\0c' | xargs -0 rm", ["a b", "c"]),
        ("printf 'a b\\nc' | xargs -d '\\n' rm", ["a b", "c"]),
        ("echo 'a\\ b \"c d\"' | xargs rm", ["a b", "c d"]),
        ("echo a.txt | xargs -I{} cp {} {}.bak", ["a.txt.bak"]),
        ("echo a.txt | xargs -I% sh -c 'echo x > %'", ["a.txt"]),
        ("echo q | xargs -i touch {}", ["q"]),
        ("xargs touch <<< 'q r'", ["q", "r"]),
        ("xargs -r rm < /dev/null; echo q | xargs -t touch", ["q"]),
        ("ls docs/*.md | xargs rm", ["docs/x.md", "docs/y.md"]),
        ("echo docs | xargs -I{} cp a.txt {}", ["docs/a.txt"]),
        ("seq 2 | xargs -I{} touch f{}", ["f1", "f2"]),
        ("parallel rm ::: a.txt b.md", ["a.txt", "b.md"]),
        ("parallel 'cp {} {}.bak' ::: a.txt", ["a.txt.bak"]),
    ],
)
def test_literal_lists(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    ["xargs rm < list", "cat list | xargs rm", "xargs -a list rm", "cat list | xargs -I{} rm {}", "cat list | xargs sh -c 'rm $@' _",
     "git ls-files | xargs sed -i s/a/b/", "parallel rm :::: list", "cat list | parallel rm {}", "cat list | xargs ./x.sh"],
)  # fmt: skip
def test_lists_from_elsewhere(text):
    assert is_opaque(text)


def test_a_known_destination_is_told_whatever_the_list_is():
    assert touched("cat list | xargs -I{} cp {} docs/x.md") == ["write docs/x.md"]


@pytest.mark.parametrize(
    "text",
    [
        "cat list | xargs wc -l",
        "cat list | xargs -I{} head -1 {}",
        "xargs --version",
        "echo x | xargs",
        "cat list | xargs -n1 basename",
    ],
)
def test_reading_a_list(text):
    assert is_clean(text)
