"""Declared evidence."""

import time

import pytest

from phasegate.core.evidence import (
    MAX_EVIDENCE_PATHS,
    evidence_paths,
    gives_rationale,
    labelled_paths,
    signed_off,
    tdd_mode,
)


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("TDD Mode: Strict", "strict"),
        ("- TDD Mode: `pragmatic`", "pragmatic"),
        ("TDD Mode:", None),
        ("", None),
    ],
)
def test_mode_is_compared_without_case(text, mode):
    assert tdd_mode(text) == mode


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("RED: evidence/a.log", ("evidence/a.log",)),
        ("- RED: `a.log`, `b.log`", ("a.log", "b.log")),
        ("* red evidence: a.log", ("a.log",)),
        ("RED:", ()),
        ("REDUCED: a.log", ()),
        ("required: a.log", ()),
    ],
)
def test_only_labelled_lines_name_evidence(line, paths):
    assert labelled_paths("text\n" + line, "RED") == paths


def test_both_labels_are_collected_and_bounded():
    assert evidence_paths("RED: a\nGREEN: b") == ("a", "b")
    assert len(labelled_paths("RED: " + "x " * 1_000, "RED")) == MAX_EVIDENCE_PATHS


@pytest.mark.parametrize(
    ("text", "signed"),
    [("Human Sign-off: Ada", True), ("- **Sign-Off**: Ada", True), ("Sign-off:", False), ("x", False)],
)
def test_a_sign_off_needs_a_name(text, signed):
    assert signed_off(text) is signed


@pytest.mark.parametrize(
    "piece", ["\n", "x", "RED: a,b c\n", "a, ", "RED: x", "sign-off: \n", "é:"], ids=repr
)
def test_no_text_of_the_largest_size_costs_more_than_a_fraction_of_a_second(piece):
    text = "RED: " + piece * (4 * 1024 * 1024 // len(piece))
    started = time.process_time()

    tdd_mode(text)
    evidence_paths(text)
    signed_off(text)
    gives_rationale(text)

    assert time.process_time() - started < 0.5
