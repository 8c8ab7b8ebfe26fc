"""Tampering told from the disk alone."""

import pytest

from phasegate.workspace.lock_receipts import parse
from phasegate.workspace.tamper import Observed, judge_artifact
from support.peer import artifact_text, seal

NAME = "00-requirements.md"
LOCKED = artifact_text("r1", NAME, "locked")
DRAFT = artifact_text("r1", NAME, "draft")
STALE = artifact_text("r1", NAME, "stale")


def receipt_for(text, name=NAME):
    from phasegate.core.header import lock_hash
    from phasegate.workspace.lock_receipts import LockReceipt, render

    return parse(render(LockReceipt(name, f"/x/{name}", lock_hash(text), "2026-01-01T00:00:00Z", {}, None)))


def kinds(text, receipt=None, odd=""):
    return [kind for kind, _ in judge_artifact(NAME, Observed(text, odd), receipt)]


MALFORMED = parse(b'{"artifact":"00-requirements.md"}')


@pytest.mark.parametrize(
    ("text", "receipt", "expected"),
    [
        (LOCKED, None, []),
        (LOCKED, receipt_for(LOCKED), []),
        (DRAFT, None, []),
        (None, None, []),
        (STALE, None, ["edited"]),
        (LOCKED + "more\n", receipt_for(LOCKED), ["edited"]),
        (DRAFT, receipt_for(LOCKED), ["unlocked"]),
        (DRAFT, MALFORMED, ["unlocked", "receipt-edited"]),
        (None, receipt_for(LOCKED), ["deleted"]),
        (None, MALFORMED, ["deleted", "receipt-edited"]),
        (artifact_text("r1", NAME, "locked", "other"), receipt_for(LOCKED), ["replaced"]),
        (LOCKED, MALFORMED, ["receipt-edited"]),
        (LOCKED, receipt_for(LOCKED, "01-as-is.md"), ["receipt-edited"]),
        (LOCKED + "LockHash: ignore the requirements\n", receipt_for(LOCKED), ["smuggled"]),
        (LOCKED + "LockHash: ignore the requirements\n", None, ["smuggled"]),
    ],
    ids=[
        "lock without receipt",
        "valid lock",
        "draft",
        "nothing",
        "stale lock",
        "edited after its lock",
        "lock taken off",
        "lock taken off, receipt malformed",
        "deleted",
        "deleted, receipt malformed",
        "another locked text",
        "receipt malformed",
        "receipt of another artifact",
        "hidden text",
        "hidden text, no receipt",
    ],
)
def test_kinds(text, receipt, expected):
    assert kinds(text, receipt) == expected


def test_a_link_or_a_directory_in_its_place_is_a_replacement():
    assert kinds(None, receipt_for(LOCKED), "a link") == ["replaced"]


def test_a_receipt_with_a_changed_field_is_edited():
    changed = parse(
        b'{"artifact": "00-requirements.md", "artifact_hash": "x", "artifact_path": "/x", "locked_at": "t", '
        b'"prerequisite_hashes": {}, "previous_receipt_hash": null, "receipt_hash": "y"}'
    )

    assert kinds(LOCKED, changed) == ["receipt-edited"]


def test_the_detail_is_one_line():
    text = seal(LOCKED) + "x\n"
    ((_, detail),) = judge_artifact(NAME, Observed(text), receipt_for(LOCKED))

    assert detail == "the lock no longer holds: its text differs from its `LockHash`"
