"""Editors whose `command` is a verb: reading is only what says so throughout."""

from __future__ import annotations

import pytest

from phasegate.core.call import Effect
from support.target_calls import PLAN, extraction, touched


@pytest.mark.parametrize(
    ("args", "effect", "op", "kind"),
    [
        ({"command": "create", "file_text": "x"}, Effect.WRITE, "write", "replace"),
        ({"command": "str_replace", "old_str": "a", "new_str": "b"}, Effect.WRITE, "write", "edit"),
        ({"command": "insert", "insert_line": 2, "new_str": "b"}, Effect.WRITE, "write", "unknown"),
        ({"command": "append", "new_str": "b"}, Effect.WRITE, "append", "append"),
        ({"command": "undo_edit"}, Effect.WRITE, "write", None),
        ({"command": "frobnicate", "file_text": "x"}, Effect.WRITE, "write", "unknown"),
        ({"command": 7}, Effect.WRITE, "write", None),
        ({}, Effect.WRITE, "write", None),
        ({"command": "delete"}, Effect.DELETE, "delete", None),
        ({"command": " CREATE ", "file_text": "x"}, Effect.WRITE, "write", "replace"),
        ({"command": "create", "action": "view", "file_text": "x"}, Effect.WRITE, "write", "replace"),
        ({"command": "view", "operation": "set"}, Effect.WRITE, "write", None),
    ],
)
def test_each_verb_does_its_own(args, effect, op, kind):
    found = extraction("str_replace_based_edit_tool", {"path": PLAN, **args})

    assert found.effect is effect
    assert touched(found) == [f"{op} {PLAN}"]
    change = found.targets[0].change
    assert (change.kind if change else None) == kind


@pytest.mark.parametrize("verb", ["view", "read", "View", "list"])
def test_a_reading_verb_reads(verb):
    found = extraction("file_editor", {"command": verb, "path": PLAN})

    assert found.effect is Effect.READ
    assert found.targets == ()


def test_a_plain_writer_has_no_verbs():
    """`view` beside the path of a tool that only writes is a decoy."""
    assert f"write {PLAN}" in touched(extraction("Write", {"command": "view", "file_path": PLAN}))
