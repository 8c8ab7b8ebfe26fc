"""`perl` and `ruby` with bundled options, and editing in place."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    ("options", "targets"),
    [
        ("-pi -e 's/a/b/'", ["write a.txt"]), ("-i -pe 's/a/b/'", ["write a.txt"]), ("-pie -e 's/a/b/'", ["write a.txt", "write a.txte"]),
        ("-i.bak -pe 's/a/b/'", ["write a.txt", "write a.txt.bak"]), ("-pi.bak -e 's/a/b/'", ["write a.txt", "write a.txt.bak"]),
        ("-i'old/*' -pe 's/a/b/'", ["write a.txt", "write old/a.txt"]), ("-i'*.o' -pe 's/a/b/'", ["write a.txt", "write a.txt.o"]),
        ("-0777 -pi -e 's/a/b/'", ["write a.txt"]), ("-0777pi -e 's/a/b/'", ["write a.txt"]), ("-lpi -e 's/a/b/'", ["write a.txt"]),
        ("-Mstrict -pi -e 's/a/b/'", ["write a.txt"]), ("-w -i -n -e 'print'", ["write a.txt"]), ("-F: -ani -e 'print'", ["write a.txt"]),
        ("-pi -e 's/a/b/;' -e 's/c/d/'", ["write a.txt"]),
    ],
)  # fmt: skip
def test_perl_in_place(options, targets):
    assert touched(f"perl {options} a.txt") == targets


@pytest.mark.parametrize(
    "text",
    [
        "perl -pe 's/a/b/' a.txt", "perl -ne 'print if /a/' a.txt", "perl -lane 'print $F[0] > 1' a.txt", "perl -00 -ne 'print' a.txt", "perl -v",
        "perl -MList::Util=sum -e 'print sum(1, 2)'", "perl -CSD -pe 's/a/b/' a.txt", "perl -c x.pl", "ruby -ne 'puts $_' a.txt", "ruby -rjson -e 'puts 1'",
        "ruby -F: -ane 'puts 1' a.txt", "ruby --version", "perl -e 'print \"a > b\"'", "perl -e 'print <STDIN>' < a.txt", "perl -pe 'BEGIN{$/=undef}' a.txt",
    ],
)  # fmt: skip
def test_filters_change_nothing(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("perl -e 'unlink \"a.txt\"'", ["delete a.txt"]),
        ("perl -e 'unlink $ARGV[0]' a.txt", ["delete a.txt"]),
        ("perl -E 'open my $f, q(>), q(q)'", ["write q"]),
        ("perl -e 'system(\"rm a.txt\")'", ["delete a.txt"]),
        ("perl -ne 'open F, q(>q); print F' a.txt", ["write q"]),
        ("perl <<'E'\nunlink 'a.txt';\nE", ["delete a.txt"]),
        ("perl - <<'E'\nunlink 'a.txt';\nE", ["delete a.txt"]),
        ("ruby -i -pe '$_.upcase!' a.txt", ["write a.txt"]),
        ("ruby -e 'File.delete(\"a.txt\")'", ["delete a.txt"]),
        ("ruby -rfileutils -e 'FileUtils.rm_rf(\"docs\")'", ["delete* docs"]),
        ("ruby -e '`rm a.txt`'", ["delete a.txt"]),
        ("ruby <<'E'\nFile.write('q', 1)\nE", ["write q"]),
    ],
)
def test_programs(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ["perl x.pl a.txt", "perl -Mmine -e 1", "perl -pi -e 's/a/b/' $X", 'perl -e "$X"', "perl -ne 'system $_' a.txt", "perl -e 'unlink @ARGV' *.md",
     "perl -pe 's/a/`rm $1`/e' a.txt", "perl -ne 'unlink' a.txt", "perl -lne 'unlink if /x/' a.txt", "perl -e 'unlink for @ARGV' a.txt", "perl -ne 'chomp; unlink' a.txt", "perl -i$X -pe 1 a.txt", "ruby x.rb", "ruby -r./x -e 1", "ruby -e 'eval ARGV[0]' x"],
)  # fmt: skip
def test_what_is_not_known(text):
    assert is_opaque(text)


def test_a_link_edited_in_place_is_replaced():
    assert touched("perl -pi -e 's/a/b/' link.md") == ["write link.md"]


def test_the_program_is_told_as_the_change():
    (target,) = extracted("perl -pi -e 's/DRAFT/LOCKED/' a.txt").targets

    assert target.change.kind == "unknown"
    assert "LOCKED" in target.change.text
