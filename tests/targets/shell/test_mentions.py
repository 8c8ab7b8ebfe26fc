"""Words of a part that was not understood, as far as any could name a path."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import MAX_WORDS
from phasegate.targets.shell.mentions import candidates, pieces_of, tokens
from phasegate.targets.shell.text import Field, field
from support.shell_calls import extracted

PLAN = "/repo/.recursive/run/r1/02-to-be-plan.md"


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("a/b", {"a/b"}),
        ("--out=a/b", {"a/b"}),
        ("-oa/b", {"a/b"}),
        ("if=a", {"if=a", "a"}),
        ("host:a/b", {"a/b"}),
        ("a,b/c", {"a", "b/c"}),
        ("@a/b", {"a/b"}),
        ("see a/b now", {"a/b"}),
        ("(a/b)", {"a/b"}),
        ("--dir=x:a/b", {"a/b"}),
        ("a\\b", {"a/b"}),
        ("", set()),
        ("-x", set()),
    ],
)
def test_what_a_word_could_name(word, found):
    assert found <= set(candidates(word))


def test_blank_separated_prose_is_no_name():
    assert set(candidates("just some words")) == set()


def test_an_overlong_word_names_nothing():
    assert list(candidates("a" * (1 << 17))) == []


def test_pieces_behind_something_unknown_may_be_relative():
    pieces = list(pieces_of([field("a"), Field((None, "/.recursive/x"), "$R/.recursive/x")]))

    assert pieces == ["a", "/.recursive/x", ".recursive/x"]


def test_tokens():
    assert tokens("open('a/b', \"w\"); x=c|d") == ["open", "a/b", "w", "x", "c", "d"]


@pytest.mark.parametrize(
    "text",
    [
        f"frob {PLAN}",
        "frob .recursive/run/r1/02-to-be-plan.md",
        "frob --out=.recursive/run/r1/02-to-be-plan.md",
        "frob -o.recursive/run/r1/02-to-be-plan.md",
        "cd .recursive/run; frob r1/02-to-be-plan.md",
        'frob "$X/.recursive/run/r1/02-to-be-plan.md"',
        "frob 'write .recursive/run/r1/02-to-be-plan.md'",
        "F=.recursive/run/r1; frob $F/02-to-be-plan.md",
        "frob .recursive/run/r1/*.md",
        "frob {.recursive/run/r1,x}/02-to-be-plan.md",
        "frob docs/../.recursive/run/r1/02-to-be-plan.md",
        "frob ~+/.recursive/run/r1/02-to-be-plan.md",
        "frob 'a=.recursive\\run\\r1\\02-to-be-plan.md'",
        "python3 -c 'frob(\".recursive/run/r1/02-to-be-plan.md\")'",
        "./x.sh .recursive/run/r1/02-to-be-plan.md",
    ],
)
def test_a_named_file_is_among_the_words(text):
    found = extracted(text)

    assert PLAN in {word for reason in found.opaque for word in reason.words}


def test_data_of_a_known_command_is_left_out():
    found = extracted(f"echo 'see {PLAN}'; frob x")

    assert PLAN not in {word for reason in found.opaque for word in reason.words}


def test_links_are_followed():
    assert "/repo/docs/x.md" in extracted("frob link.md").opaque[0].words


def test_the_number_of_words_is_bounded():
    found = extracted("frob " + " ".join(f"d/f{number}" for number in range(900)))

    assert all(len(reason.words) <= MAX_WORDS for reason in found.opaque)


def test_words_that_can_matter_come_first():
    found = extracted(
        "frob " + " ".join(f"d/f{number}" for number in range(900)) + " .recursive/run/r1/02-to-be-plan.md"
    )

    assert PLAN in found.opaque[0].words
