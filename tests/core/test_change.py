"""What a change leaves behind."""

import pytest

from phasegate.core.call import ContentChange
from phasegate.core.change import apply_change, lock_lines


@pytest.mark.parametrize(
    ("change", "result"),
    [
        (ContentChange("replace", "new"), "new"),
        (ContentChange("append", "!"), "aba!"),
        (ContentChange("edit", edits=(("a", "x", False),)), "xba"),
        (ContentChange("edit", edits=(("a", "x", True), ("b", "y", False))), "xyx"),
        (ContentChange("edit", edits=(("", "top ", False),)), "top aba"),
        (ContentChange("edit", edits=(("absent", "x", True),)), "aba"),
        (ContentChange("edit", edits=(("a  ba", "Status: LOCKED", False),)), "Status: LOCKED\naba"),
    ],
)
def test_applies_a_change_as_the_tool_would(change, result):
    assert apply_change("aba", change) == result


def test_replacements_are_bounded():
    change = ContentChange("edit", edits=(("a", "b" * 1_000_000, True),))
    assert len(apply_change("a" * 100_000, change)) < 6_000_000


def test_only_the_header_makes_a_lock():
    text = "Run: x\n Status: LOCKED\nLockedAt: t\n## Body\nLockHash: z\n"
    assert lock_lines(text) == ["Status: LOCKED", "LockedAt: t"]


def test_edits_that_would_take_too_long_are_not_followed():
    growing = ContentChange("edit", edits=(("a", "aa", True),) * 1_000)
    assert apply_change("a", growing) is None
