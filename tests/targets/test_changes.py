"""What becomes of a file's text, as far as a call says; a doubt is an unknown change, never a guess."""

from __future__ import annotations

import pytest

from phasegate.core.call import ContentChange
from phasegate.targets.arguments import collect
from phasegate.targets.changes import change_of
from phasegate.targets.tools import TextMode


def change(args: dict[str, object], mode: TextMode = "replace") -> ContentChange | None:
    return change_of(collect({"path": "f", **args}).groups[0].texts, mode)


def test_a_text_replaces_or_appends_as_the_tool_does():
    assert change({"content": "x"}) == ContentChange("replace", text="x")
    assert change({"content": "x"}, "append") == ContentChange("append", text="x")
    assert change({"new_str": "x"}, "append") == ContentChange("append", text="x")
    assert change({"code": "x"}, "unknown") == ContentChange("unknown", text="x")


def test_no_text_is_no_change():
    assert change({}) is None


@pytest.mark.parametrize(
    "args",
    [
        {"old_string": "a", "new_string": "b"},
        {"old_str": "a", "new_str": "b"},
        {"oldText": "a", "newText": "b"},
        {"before": "a", "after": "b"},
        {"search": "a", "replace": "b"},
        {"edits": [{"old_string": "a", "new_string": "b"}]},
        {"edit": {"old": "a", "new": "b"}},
        {"ReplacementChunks": [{"TargetContent": "a", "ReplacementContent": "b"}]},
        {"diff": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"},
        {"diff": "------- SEARCH\na\n=======\nb\n+++++++ REPLACE"},
        {"diff": "<<<<<<< SEARCH\n:start_line:3\n-------\na\n=======\nb\n>>>>>>> REPLACE\n"},
        {"diff": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"},
    ],
)
def test_pairs_of_texts_are_edits(args):
    assert change(args, "unknown") == ContentChange("edit", edits=(("a", "b", False),))


def test_edits_stay_in_order_and_may_replace_everywhere():
    edits = [
        {"old": "a", "new": "b", "replace_all": True},
        {"old": "b", "new": "c", "expected_replacements": 2},
    ]

    assert change({"edits": edits}) == ContentChange("edit", edits=(("a", "b", True), ("b", "c", True)))


def test_a_missing_new_text_deletes():
    assert change({"old_string": "a"}) == ContentChange("edit", edits=(("a", "", False),))


@pytest.mark.parametrize(
    "args",
    [
        {"content": "draft", "file_text": "Status: LOCKED"},
        {"content": "draft", "old_string": "x", "new_string": "Status: LOCKED"},
        {"content": "Status: LOCKED", "append": True},
        {"content": "Status: LOCKED", "mode": "append"},
        {"regex": "DRAFT", "repl": "Status: LOCKED"},
        {"search": "D.*", "replace": "Status: LOCKED", "use_regex": True},
        {"old_string": "x", "new_string": "Status: LOCKED", "ignore_case": True},
        {"new_str": "Status: LOCKED", "insert_line": 0},
        {"insert_text": "Status: LOCKED", "insert_line": 0},
        {"old_text": "a", "new_text": "Status: LOCKED", "insert_line": 0},
        {"diff": "prose with Status: LOCKED"},
        {"content": ["Status: LOCKED", "x"], "text": "y"},
    ],
)
def test_a_doubt_makes_the_change_unknown_and_keeps_every_text(args):
    """A tool may ignore any of these arguments: all texts stay visible to the rules."""
    found = change(args)

    assert found is not None
    assert found.kind == "unknown"
    assert "Status: LOCKED" in found.text


@pytest.mark.parametrize("args", [{"append": False}, {"mode": "overwrite"}, {"mode": None}, {"append": None}])
def test_switches_that_are_off_leave_the_change_plain(args):
    assert change({"content": "x", **args}) == ContentChange("replace", text="x")
