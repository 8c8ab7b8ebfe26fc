"""The header block of an artifact: every measured edge of the status and hash algorithm."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.header import (
    FIELD_CHARS,
    FIELD_LINES,
    HASH_MENTIONS,
    HEADER_CHARS,
    HEADER_LINES,
    claims_lock,
    header_lines,
    header_word,
    lock_hash,
    read_seal,
    text_field,
)
from support import peer
from support.cases import load

HASHES = [case for case in load("guard.json") if case["call"]["tool"] == "#lock_hash"]
LINES = st.lists(
    st.sampled_from(["body", "", "Status: LOCKED", "LockHash: x", "\tLockHash: y", "- LockHash: z", "é"]),
    max_size=8,
)


def sealed(*lines: str, end: str = "\n") -> str:
    return peer.seal(end.join(lines))


@pytest.mark.parametrize("case", HASHES, ids=lambda case: case["id"])
def test_lock_hash_has_the_bytes_of_the_public_tools(case):
    assert lock_hash(case["call"]["args"]["text"]) == case["expect"]["value"]


@given(LINES, st.booleans())
def test_lock_hash_agrees_with_a_model_of_its_own(lines, final_newline):
    text = "\n".join(lines) + ("\n" if final_newline else "")
    assert lock_hash(text) == peer.content_hash(text)


@given(LINES, st.sampled_from(["\r\n", "\r"]))
def test_lock_hash_ignores_the_kind_of_line_ending(lines, ending):
    assert lock_hash(ending.join(lines)) == lock_hash("\n".join(lines))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("Status: LOCKED", "LOCKED"),
        ("Status: `LOCKED`", "LOCKED"),
        ('Status: "LOCKED"', "LOCKED"),
        ('Status: `LOCKED"', "LOCKED"),
        ("\t  Status: LOCKED", "LOCKED"),
        ("Status: LOCKED\t ", "LOCKED"),
        ("Status: 'LOCKED'", "DRAFT"),
        ("Status: locked", "DRAFT"),
        ("- Status: LOCKED", "DRAFT"),
        ("Status: LOCKED # yes", "DRAFT"),
        ("Status:\n\n  LOCKED", "DRAFT"),
        ("Status: DRAFT\nStatus: LOCKED", "DRAFT"),
        ("Status: LOCKED\nStatus: DRAFT", "LOCKED"),
        ("Status: LOCKED by me\nStatus: LOCKED", "LOCKED"),
        ("\ufeffStatus: LOCKED", "DRAFT"),
        ("x\u2028Status: LOCKED", "DRAFT"),
        ("```\nStatus: LOCKED", "DRAFT"),
        ("## Notes\nStatus: LOCKED", "DRAFT"),
    ],
)
def test_status_line_decides_draft_or_locked(status, expected):
    assert (
        read_seal(sealed(status, "LockedAt: 2026-01-01T00:00:00Z", "LockHash: {{HASH}}", "")).status
        == expected
    )


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_any_line_ending_is_locked(ending):
    text = sealed("Status: LOCKED", "LockedAt: x", "LockHash: {{HASH}}", "body", "", end=ending)
    assert read_seal(text).status == "LOCKED"


def test_upper_case_hash_and_missing_final_newline_are_locked():
    text = sealed("Status: LOCKED", "LockedAt: x", "LockHash: {{HASH}}")
    digest = text.rsplit(" ", 1)[-1]
    assert read_seal(text.replace(digest, digest.upper())).status == "LOCKED"


@pytest.mark.parametrize(
    ("lines", "lacks"),
    [
        (("LockHash: {{HASH}}",), "`LockedAt` line is missing"),
        (("LockedAt:", "LockHash: {{HASH}}"), "`LockedAt` line is missing"),
        (("LockedAt: a`b", "LockHash: {{HASH}}"), "`LockedAt` line is missing"),
        (("LockedAt: x",), "`LockHash` line is missing"),
        (("LockedAt: x", "LockHash:", "{{HASH}}"), "`LockHash` line is missing"),
        (("LockedAt: x", "- LockHash: {{HASH}}"), "`LockHash` line is missing"),
        (("LockedAt: x", "LockHash: " + "g" * 64), "`LockHash` line is missing"),
        (("LockedAt: x", "LockHash: " + "f" * 64), "differs"),
        (("LockedAt: x", "LockHash: " + "f" * 64, "LockHash: {{HASH}}"), "differs"),
        (("LockedAt: x", "LockHash: {{HASH}}", "LockHash: smuggled words"), "more than one"),
        (("LockedAt: x", "LockHash: {{HASH}}", "## Body", "  LockHash: smuggled words"), "more than one"),
    ],
)
def test_incomplete_lock_is_stale_and_says_what_is_missing(lines, lacks):
    seal = read_seal(sealed("Status: LOCKED", *lines, ""))
    assert seal.status == "STALE_LOCK"
    assert lacks in seal.lacks


def test_any_appended_byte_makes_a_lock_stale():
    text = sealed("Status: LOCKED", "LockedAt: x", "LockHash: {{HASH}}", "")
    assert read_seal(text + "\n").status == "STALE_LOCK"


def test_empty_text_is_a_draft():
    assert read_seal("").status == "DRAFT"


def test_header_block_is_bounded():
    text = "x\n" * HEADER_LINES + "Status: LOCKED\n"
    assert header_word(text, "Status") is None
    assert len(header_lines(text)) == HEADER_LINES


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Status: DRAFT\nStatus: LOCKED\n", True),
        ("- **Status: `LOCKED`\n", True),
        ("Status: locked now\n", True),
        ("Status: DRAFT\n## Body\nStatus: LOCKED\n", False),
        ("The Status: LOCKED is what we want\n", False),
        ("Status:\n", False),
        ("Status:\u00a0LOCKED\n", True),
        ("Status:\u2003` LOCKED`\n", True),
        ("Status:\n\n  `LOCKED`\n", True),
        ("Status:\n\nDRAFT\nLOCKED\n", False),
    ],
)
def test_a_claim_of_a_lock_is_seen_however_it_is_dressed(text, claims):
    assert claims_lock(text) is claims


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("TDD Mode: strict", "strict"),
        ("  - TDD Mode :  `strict` ", "strict"),
        ("* TDD Mode: 'a b'", "a b"),
        ('TDD Mode: `a"', '`a"'),
        ("TDD Mode:", ""),
        ("TDD Modes: x", None),
        ("-TDD Mode: x", None),
        ("TDD Mode strict", None),
    ],
)
def test_field_reader_takes_the_value_to_the_end_of_the_line(line, value):
    assert text_field("intro\n" + line + "\nTDD Mode: later", "TDD Mode") == (
        value if value is not None else "later"
    )


def test_field_reader_is_linear_in_a_line_of_blanks():
    assert text_field("TDD Mode: a" + " " * 400_000 + "b\n", "TDD Mode") is not None


def test_field_reader_returns_none_without_the_field():
    assert text_field("nothing here", "TDD Mode") is None


@given(st.text(max_size=200))
def test_no_text_makes_the_readers_raise(text):
    read_seal(text)
    claims_lock(text)
    text_field(text, "Status")


def test_a_header_ends_within_its_bound_and_a_line_cut_there_says_nothing():
    filler = "x" * (HEADER_CHARS - len("Status: LOCKED") - 1) + "\n"

    assert read_seal(filler + "Status: LOCKEDISH").status == "DRAFT"
    assert header_lines(filler + "Status: LOCKED") == [filler.rstrip("\n"), "Status: LOCKED"]


def test_fields_beyond_the_opening_of_a_document_are_not_looked_for():
    assert text_field("\n" * (FIELD_LINES - 1) + "TDD Mode: a", "TDD Mode") == "a"
    assert text_field("\n" * FIELD_LINES + "TDD Mode: a", "TDD Mode") is None
    assert text_field("x" * FIELD_CHARS + "\nTDD Mode: a", "TDD Mode") is None


def test_a_text_that_speaks_of_nothing_but_hashes_is_not_locked():
    """However it is counted, judging it line by line would cost more than a decision may."""
    text = sealed(
        "Status: LOCKED", "LockedAt: x", "LockHash: {{HASH}}", "on LockHash: " * (HASH_MENTIONS - 1)
    )
    assert read_seal(text).status == "LOCKED"

    more = sealed("Status: LOCKED", "LockedAt: x", "LockHash: {{HASH}}", "on LockHash: " * HASH_MENTIONS)
    assert (read_seal(more).status, read_seal(more).digest) == ("STALE_LOCK", None)


HEAD = "Status: LOCKED\nLockedAt: x\nLockHash: " + "f" * 64 + "\n"
SIZE = 4 * 1024 * 1024


@pytest.mark.parametrize(
    "piece",
    ["\n", "\r", "\r\n", " \n", "x", " ", "é\n", "LockHash:", "LockHash:\n", "a LockHash: b\n", "TDD Mode\n",
     "TDD Mode:\n", "Status: \n", "`"],
    ids=repr,
)  # fmt: skip
def test_no_text_of_the_largest_size_costs_more_than_a_fraction_of_a_second(piece):
    """A loop over four million characters or lines takes seconds; the cap tells the two apart on any machine."""
    text = HEAD + piece * (SIZE // len(piece))
    started = time.process_time()

    read_seal(text)
    claims_lock(text)
    text_field(text, "TDD Mode")

    assert time.process_time() - started < 0.5
