"""Words are expanded in bash's order, against the disk; what can't be known stays unknown."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("touch 'a b'", ["a b"]),
        ('touch "a b"', ["a b"]),
        ("touch a\\ b", ["a b"]),
        ("touch $'a\\tb'", ["a\tb"]),
        ("touch $'\\x61\\142\\u0063'", ["abc"]),
        ("touch a'b'\"c\"d", ["abcd"]),
        ('touch "a\'b"', ["a'b"]),
        ('touch "a\\"b"', ['a"b']),
        ('touch "a\\b"', ["a\\b"]),
        ("touch ''", []),
        ("touch a\\\nb", ["ab"]),
    ],
)
def test_quotes_are_removed_as_bash_does(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("touch ~/x", ["/home/dev/x"]),
        ("touch ~", ["/home/dev"]),
        ("touch ~dev/x", ["/home/dev/x"]),
        ("touch '~/x'", ["~/x"]),
        ("touch a~", ["a~"]),
        ("touch ~+/x", ["x"]),
        ("cd docs; touch ~-/x", ["x"]),
        ("F=~/x; touch $F", ["/home/dev/x"]),
        ("HOME=/repo/out; touch ~/x", ["out/x"]),
    ],
)
def test_a_tilde_stands_for_a_directory_only_where_bash_says_so(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("F=x; touch $F ${F}1", ["x", "x1"]),
        ("F='p q'; touch $F", ["p", "q"]),
        ("F='p q'; touch \"$F\"", ["p q"]),
        ("F=; touch $F x", ["x"]),
        ("F=p:q; IFS=:; touch $F", ["p", "q"]),
        ("F='*.md'; touch $F", ["b.md", "docs/x.md"]),
        ("F='*.md'; touch \"$F\"", ["*.md"]),
        ("touch $PWD/x ${PWD}/y", ["x", "y"]),
        ("touch $HOME/x", ["/home/dev/x"]),
        ("F=(p 'q r'); touch \"${F[@]}\" ${#F[@]}", ["2", "p", "q r"]),
        ("F=(p q); touch ${F[1]} ${F[-1]}x $F", ["p", "q", "qx"]),
        ("set -- p 'q r'; touch \"$@\" $#", ["2", "p", "q r"]),
        ('set -- p q; touch "$*"', ["p q"]),
        ('set -- p q r; touch "${@:2}" ${*: -1}x', ["q", "r", "rx"]),
        ("F=x; G=F; touch ${!G}", ["x"]),
        ("declare -n G=F; F=x; touch $G", ["x"]),
        ("declare -A m=([k]=x); touch ${m[k]}", ["x"]),
        ("touch $(echo x y)", ["x", "y"]),
        ("touch \"$(printf '%s-%02d' x 7)\"", ["x-07"]),
        ("touch `echo x`", ["x"]),
        ("touch f$((1 + 2 * 3))", ["f7"]),
        ("i=2; touch f$((i++)) f$i", ["f2", "f3"]),
    ],
)
def test_known_variables_and_substitutions_are_replaced_and_split(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("operator", "path"),
    [
        ("${F%.*}", "dir/name.tar"),
        ("${F%%.*}", "dir/name"),
        ("${F#*/}", "name.tar.gz"),
        ("${F##*/}", "name.tar.gz"),
        ("${F/name/other}", "dir/other.tar.gz"),
        ("${F//r/R}", "diR/name.taR.gz"),
        ("${F/#dir/top}", "top/name.tar.gz"),
        ("${F/%gz/xz}", "dir/name.tar.xz"),
        ("${F:4}", "name.tar.gz"),
        ("${F:4:4}", "name"),
        ("${F: -2}", "gz"),
        ("${F^^}", "DIR/NAME.TAR.GZ"),
        ("${F^}", "Dir/name.tar.gz"),
        ("${F:-other}", "dir/name.tar.gz"),
        ("${F:+other}", "other"),
        ("${#F}", "15"),
    ],
)
def test_parameter_operators(operator, path):
    assert written(f'F=dir/name.tar.gz; touch "{operator}"') == [path]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("touch {a,b}.txt", ["a.txt", "b.txt"]),
        ("touch x{,.bak}", ["x", "x.bak"]),
        ("touch {1..3}", ["1", "2", "3"]),
        ("touch {01..3}", ["01", "02", "03"]),
        ("touch {c..a}", ["a", "b", "c"]),
        ("touch {1..9..4}", ["1", "5", "9"]),
        ("touch {a,b{1,2}}", ["a", "b1", "b2"]),
        ("touch {a}", ["{a}"]),
        ("touch '{a,b}'", ["{a,b}"]),
        ("touch {a,'b c'}", ["a", "b c"]),
        ("F=q; touch {$F,r}", ["q", "r"]),
    ],
)
def test_braces_are_expanded_first(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("rm docs/*.md", ["docs/x.md", "docs/y.md"]),
        ("rm docs/?.md", ["docs/x.md", "docs/y.md"]),
        ("rm docs/[!x].md", ["docs/y.md"]),
        ("rm docs/[x-z].md", ["docs/x.md", "docs/y.md"]),
        ("rm */x.md", ["docs/x.md", "docs/x.md"]),
        ("rm nomatch*", ["nomatch*"]),
        ("shopt -s nullglob; rm nomatch* q", ["q"]),
        ("rm 'docs/*.md'", ["docs/*.md"]),
        ("rm docs/\\*.md", ["docs/*.md"]),
        ("set -f; rm docs/*.md", ["docs/*.md"]),
        ("shopt -s globstar; rm docs/**/*.md", ["docs/sub/z.md", "docs/x.md", "docs/y.md"]),
        ("shopt -s extglob\nrm docs/!(x).md", ["docs/y.md"]),
        ("shopt -s extglob\nrm docs/@(x|q).md", ["docs/x.md"]),
    ],
)
def test_patterns_match_names_on_disk(text, paths):
    assert written(text) == sorted(set(paths))


def test_a_leading_dot_is_matched_only_by_a_dot():
    assert touched("rm *ecursive") == ["delete *ecursive"]
    assert touched("rm -r .rec*") == ["delete* .recursive"]


@pytest.mark.parametrize(
    "word", ['"$X"', "$X", '"$(cmd)"', "`cmd`", "${X%.md}", "$((X + 1))", "f$$", "$RANDOM"]
)
def test_what_comes_from_elsewhere_makes_an_operand_unknown(word):
    assert is_opaque(f"rm {word}")


def test_a_default_stands_for_a_variable_that_nothing_set_and_the_doubt_is_told():
    found = extracted("echo x > ${OUT:-out/x}")

    assert [target.path for target in found.targets] == ["/repo/out/x"]
    assert "environment" in found.opaque[0].why


@pytest.mark.parametrize(
    "text",
    [
        'echo "$(touch x)"',
        "echo ${F:-$(touch x)}",
        "echo $(( $(touch x) + 1 ))",
        "cat <<< $(touch x)",
        "F=$(touch x)",
        "F=$(touch x) true",
        "case $(touch x) in a) ;; esac",
        "[[ -n $(touch x) ]]",
        "for i in $(touch x); do :; done",
        "cat <<EOF\n$(touch x)\nEOF",
        "cat <<EOF\n`touch x`\nEOF",
        "cat <(touch x)",
        "echo > >(touch x)",
        "a[$(touch x)]=1",
        "(( $(touch x) ))",
    ],
)
def test_commands_inside_words_are_found_wherever_they_hide(text):
    assert "write x" in touched(text)


def test_a_quoted_document_is_data():
    assert touched("cat <<'EOF'\n$(touch x)\nEOF") == []


def test_a_part_that_is_unknown_keeps_what_is_known_around_it():
    """The rule on opaque parts looks at these words."""
    found = extracted('rm -rf "$ROOT/.recursive/run/$ID"')

    assert "/repo/.recursive/run" in {word.rstrip("/") for word in found.opaque[0].words}
