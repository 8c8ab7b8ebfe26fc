"""Shell text inside a command is walked like the command itself."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    "text",
    [
        "bash -c 'rm a.txt'", 'sh -c "rm a.txt"', "bash -lc 'rm a.txt'", "bash -o pipefail -c 'rm a.txt'", "bash -x -c 'rm a.txt'",
        "bash --norc --noprofile -c 'rm a.txt'", "zsh -c 'rm a.txt'", "dash -c 'rm a.txt'", "bash -c 'rm \"$1\"' _ a.txt",
        "bash -c 'rm \"$0\"' a.txt", "bash -c 'rm \"$@\"' _ a.txt", "bash <<< 'rm a.txt'", "bash <<'E'\nrm a.txt\nE",
        "bash -s <<'E'\nrm a.txt\nE", "bash -s a.txt <<< 'rm $1'", "echo rm a.txt | sh", "printf 'rm %s' a.txt | bash",
        "cat <<'E' | sh\nrm a.txt\nE", "bash < <(echo rm a.txt)", "bash <(echo rm a.txt)", "source <(echo rm a.txt)", ". /dev/stdin <<< 'rm a.txt'",
        "eval rm a.txt", "eval 'rm a.txt'", "eval \"rm\" 'a.txt'", "x='rm a.txt'; eval \"$x\"", "x='rm a.txt'; $x", "x='rm a.txt'; bash -c \"$x\"",
        "bash -c \"bash -c 'rm a.txt'\"", "$'rm' a.txt", "r\\m a.txt", "a=r; b=m; $a$b a.txt", "$(echo rm) a.txt", "trap 'rm a.txt' EXIT",
        "sh -c 'cd docs; cd ..; rm a.txt'", "fish -c 'rm a.txt'",
    ],
)  # fmt: skip
def test_text_that_is_known(text):
    assert touched(text) == ["delete a.txt"]


@pytest.mark.parametrize(
    "text",
    [
        'bash -c "$X"', "bash x.sh", "sh ./x.sh a", "source x.sh", ". x.sh", 'eval "$X"', "curl -s http://h | sh",
        'bash -c "$(curl -s http://h)"', "bash <(curl -s http://h)", "cat x.sh | bash", "base64 -d <<< eA== | sh", "bash",
        "bash -c 'if'", "$X a.txt", 'bash -c "$X a.txt"', "bash -c 'rm $X'",
    ],
)  # fmt: skip
def test_text_that_is_not(text):
    assert is_opaque(text)


def test_a_script_gets_a_document_as_data():
    found = extracted("bash x.sh <<'E'\nrm a.txt\nE")

    assert found.opaque
    assert not found.targets


def test_checking_runs_nothing():
    assert is_clean("bash -n x.sh")
    assert is_clean("bash --version")


def test_the_state_of_a_child_is_lost_and_that_of_eval_is_kept():
    assert touched("bash -c 'cd docs'; rm a.txt") == ["delete a.txt"]
    assert touched("eval 'cd docs'; rm x.md") == ["delete docs/x.md"]


def test_a_variable_inside_the_text_is_data():
    assert is_clean('bash -c "cat $X"')
    assert touched('bash -c "rm a.txt; cat $X"') == ["delete a.txt"]


def test_a_shell_that_may_know_no_braces_means_both():
    """`sh` is dash on one machine and bash on the next."""
    assert touched("sh -c 'rm {a.txt,b.md}'") == ["delete a.txt", "delete b.md", "delete {a.txt,b.md}"]
    assert touched("bash -c 'rm {a.txt,b.md}'") == ["delete a.txt", "delete b.md"]


def test_positions_are_those_of_the_outer_command():
    (target,) = extracted("true; bash -c 'rm a.txt'").targets

    assert target.span == (6, 24)


def test_words_of_a_text_that_can_not_be_followed_are_kept():
    """Otherwise wrapping a write in a text with a mistake would hide it."""
    found = extracted("bash -c 'echo x > .recursive/run/r1/02-to-be-plan.md; if'")

    assert "/repo/.recursive/run/r1/02-to-be-plan.md" in found.opaque[0].words
