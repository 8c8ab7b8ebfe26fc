"""Texts of a record: capped in bytes, without roots, secrets, lone surrogates and NULs."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.decision_log.record.texts import CUT, Texts, clip, one_line

ROOT = "/srv/repo"


def texts() -> Texts:
    return Texts({ROOT: "{root}", "/srv/other": "{root:other}"})


def settled(text: str, cap: int = 4000) -> str:
    treatment = texts()
    return treatment.settle({"text": treatment.short(text, cap)})["text"]


@given(st.text(), st.integers(16, 200))
def test_clips_to_bytes_with_a_visible_mark(text, cap):
    clipped = clip(text, cap)

    assert len(clipped.encode("utf-8", "surrogatepass")) <= cap
    assert clipped == text or clipped.endswith(CUT)


@given(st.text(st.characters(), max_size=400), st.integers(16, 400))
def test_what_comes_out_is_json_of_every_parser(text, cap):
    """A lone surrogate breaks orjson, a NUL breaks PostgreSQL: neither may reach a store."""
    result = settled(text, cap)

    assert orjson.loads(orjson.dumps(result)) == result
    assert "\0" not in result


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"cat {ROOT}/src/a.py", "cat {root}/src/a.py"),
        (f"cd {ROOT} && make", "cd {root} && make"),
        (f"`{ROOT}`", "`{root}`"),
        ("cat /srv/other/x", "cat {root:other}/x"),
        ("cat /srv/repository/x", "cat /srv/repository/x"),
        ("cat /mnt/srv/repo/x", "cat /mnt/srv/repo/x"),
        ("cc -I/srv/repo/include file:///srv/repo/x", "cc -I{root}/include file://{root}/x"),
        (f"{ROOT}-2/x {ROOT}.old {ROOT}/y", f"{ROOT}-2/x {ROOT}.old {{root}}/y"),
    ],
)
def test_hides_roots_and_not_their_namesakes(text, hidden):
    assert settled(text) == hidden


def test_a_secret_that_the_cap_would_cut_is_masked_first():
    """Half a token is still half a token."""
    text = "x" * 80 + " ghp_" + "a" * 36 + " tail" * 30

    assert "ghp_" not in settled(text, 100)


def test_a_root_that_the_cap_would_cut_is_hidden_first():
    text = "x" * 90 + f" {ROOT}/src/a.py" + " tail" * 50

    assert "/srv" not in settled(text, 100)


def test_a_secret_at_the_edge_of_what_is_looked_at_does_not_slip_through():
    """A long mask ahead of it must not pull a cut secret into view."""
    key = "-----BEGIN PRIVATE KEY-----" + "A" * 16_300 + "-----END PRIVATE KEY-----"
    for shift in range(0, 60, 3):
        assert "ghp_" not in settled(key + "x" * shift + " ghp_" + "a" * 36 + " tail" * 30, 300)


def test_masked_places_are_listed_as_pointers():
    treatment = texts()
    fields = {"a": [treatment.short("password=hunter2", 100)], "b": treatment.short("nothing", 100)}

    settled_fields = treatment.settle(fields)

    assert settled_fields["masked"] == ["/a/0"]
    assert settled_fields["b"] == "nothing"


def test_texts_without_a_blemish_come_back_as_they_are():
    treatment = texts()
    fields = {"text": treatment.short("grün ist die Wiese", 100)}

    assert treatment.settle(fields) is fields


@given(st.text())
def test_a_summary_line_is_one_line(text):
    assert not any(mark in one_line(text) for mark in "\n\r\x0b\x0c\x1b\x85\u2028\u2029")
