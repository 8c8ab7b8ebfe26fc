"""The value of `$name`, of `${name...}` and of the special parameters."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_opaque, touched, written


@pytest.mark.parametrize(
    ("word", "paths"),
    [
        ("$F", ["v"]), ("${F}x", ["vx"]), ("$Fx.", None), ("'$F'", ["$F"]), ("\\$F", ["$F"]), ('"$F"', ["v"]), ("$1", ["p"]), ("$#", ["2"]),
        ("${#F}", ["1"]), ("${#L[@]}", ["2"]), ("${#L}", ["1"]), ("$L", ["a"]), ("${L[0]}", ["a"]), ("${L[1]}", ["b", "c"]), ('"${L[@]}"', ["a", "b c"]),
        ("${L[@]}", ["a", "b", "c"]), ('"${L[*]}"', ["a b c"]), ("${L[-1]}", ["b", "c"]), ('"${L[@]:1}"', ["b c"]), ('"${L[@]:0:1}"', ["a"]),
        ('"x${L[@]}y"', ["b cy", "xa"]), ('"${L[@]/b/B}"', ["B c", "a"]), ('"${L[@]^^}"', ["A", "B C"]), ("${!L[@]}", ["0", "1"]),
        ("${M[k]}", ["w"]), ("${!M[@]}", ["k"]), ('"$@"', ["p", "q r"]), ("$@", ["p", "q", "r"]), ('"$*"', ["p q r"]), ("$*", ["p", "q", "r"]),
        ('"${@:2}"', ["q r"]), ('"${@:1:1}"', ["p"]), ("${2%% *}", ["q"]), ("${!R}", ["v"]), ("${E:-d}", ["d"]), ("${E-d}x", ["x"]), ("${U-d}", ["d"]),
        ("${U:-d}", ["d"]), ("${F:-d}", ["v"]), ("${F:+d}", ["d"]), ("q${E:+d}", ["q"]), ("q${U+d}", ["q"]), ("${U:=n}$U", ["nn"]), ("${F:?m}", ["v"]),
        ("${F:-$(touch z)}", ["v"]), ("${U:-${F}2}", ["v2"]), ("$HOME/x", ["/home/dev/x"]), ("$PWD/x", ["x"]), ("${PWD##*/}", ["repo"]), ("${F@Q}", ["'v'"]),
    ],
)  # fmt: skip
def test_values(word, paths):
    if paths is None:
        assert is_opaque(f"F=v; touch {word}")
        return
    text = f"F=v E= L=(a 'b c') R=F; unset U; declare -A M=([k]=w); set -- p 'q r'; touch {word}"

    assert set(paths) <= set(written(text)) <= {*paths, "z"}
    assert not is_opaque(text)


@pytest.mark.parametrize(
    "word",
    ["$X", "${X}", "${#X}", "${X%.*}", "${X[1]}", "${!X}", "${X:1}", "$0", "$$", "$!", "$RANDOM", "$SECONDS", "$UID", "${!F*}", "$_", "$-", "${BASH_SOURCE[0]}",
     "${X:-}", "${F:X}", "${F/$X/b}", "${F%$X}", "$LINENO"],
)  # fmt: skip
def test_what_comes_from_elsewhere_is_unknown(word):
    assert is_opaque(f"F=v; touch q{word}")


@pytest.mark.parametrize("word", ["${X:-d}", "${X-d}", "${X:=d}"])
def test_a_default_of_something_unknown_is_told_with_its_doubt(word):
    found = extracted(f"touch {word}")

    assert found.opaque
    assert "/repo/d" in {target.path for target in found.targets}


@pytest.mark.parametrize("word", ["${F:$(touch z)}", "${L[$(touch z)]}", "${F/$(touch z)/b}", "${F%$(touch z)}", "${X:-$(touch z)}", "${X:+$(touch z)}",
                                  "${X:?$(touch z)}", "${F:0:$(touch z)}", "${!L[$(touch z)]}"])  # fmt: skip
def test_commands_in_operators_are_found(word):
    assert "write z" in touched(f"F=v; L=(a b); echo {word}")


def test_an_empty_list_leaves_no_word():
    assert written('set --; L=(); touch q "$@" "${L[@]}"') == ["q"]
    assert written('set --; touch "x$@"') == ["x"]


def test_parameters_of_a_function_are_its_own():
    assert written("set -- p; f() { touch $1; }; f q; touch $1") == ["p", "q"]
