"""Entries go in and out of other people's files."""

from __future__ import annotations

import json

import pytest

from phasegate.cli.install import jsonc
from phasegate.cli.install.merge import installed, is_ours, merged, stripped
from phasegate.errors import SettingsError

ROOT = ("hooks",)
OURS = {"matcher": "*", "hooks": [{"type": "command", "command": "/py -I /x/phasegate/hook.py claude-code"}]}
NEWER = {
    "matcher": "*",
    "hooks": [{"type": "command", "command": "/py2 -I /x/phasegate/hook.py claude-code"}],
}
LINT = {"type": "command", "command": "lint"}

SETTINGS = """{
  // my settings
  "model": "x",
  "hooks": {
    "PreToolUse": [
      // keep this one
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}
    ]
  },
  "env": {"A": "1"}
}
"""


def plain(text):
    return {event: len(items) for event, items in installed(text, ROOT).items()}


def test_our_entry_is_told_from_others():
    assert is_ours(OURS)
    assert is_ours({"type": "http", "url": "http://h/v1/hooks/claude-code", "statusMessage": "phasegate"})
    assert not is_ours({"hooks": [LINT]})
    assert not is_ours({"command": "cat docs/phasegate.md"})


def test_an_entry_is_added_and_nothing_else_changes():
    text = merged(SETTINGS, ROOT, {"PreToolUse": OURS, "PostToolUse": OURS})

    assert plain(text) == {"PreToolUse": 1, "PostToolUse": 1}
    kept = [line for line in SETTINGS.splitlines() if line.strip() not in {"}", "]", "},"}]
    assert [line.rstrip(",") for line in kept if line.rstrip(",") not in text] == []
    assert text.index("// keep this one") < text.index('"lint"') < text.index("hook.py") < text.index('"env"')


def test_a_second_installation_changes_nothing():
    once = merged(SETTINGS, ROOT, {"PreToolUse": OURS})

    assert merged(once, ROOT, {"PreToolUse": OURS}) == once


def test_an_older_entry_of_ours_is_replaced():
    text = merged(merged(SETTINGS, ROOT, {"PreToolUse": OURS}), ROOT, {"PreToolUse": NEWER})

    assert installed(text, ROOT) == {"PreToolUse": [NEWER]}


@pytest.mark.parametrize(
    "text", [SETTINGS, '{"a": 1}\n', '{\n\t"a": [1]\n}', '{\n  "a": 1, // one\n}\n'], ids=repr
)
def test_taking_it_out_restores_what_was_there(text):
    entries = {"PreToolUse": OURS, "PostToolUse": OURS}
    gone = stripped(merged(text, ROOT, entries), ROOT)

    assert plain(gone) == {}
    assert jsonc.parse(gone).plain() == jsonc.parse(text).plain()
    assert gone.count("//") == text.count("//")
    assert "phasegate" not in gone


def test_settings_of_the_usual_shape_are_restored_to_the_byte():
    text = json.dumps({"model": "x", "hooks": {"PreToolUse": [{"hooks": [LINT]}]}}, indent=2) + "\n"

    assert stripped(merged(text, ROOT, {"PreToolUse": OURS, "PostToolUse": OURS}), ROOT) == text


def test_ours_among_other_handlers_is_taken_out_alone():
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [LINT, *OURS["hooks"], LINT]}]}})

    assert json.loads(stripped(text, ROOT)) == {
        "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [LINT, LINT]}]}
    }


def test_a_new_file_starts_with_the_runtimes_skeleton():
    assert json.loads(merged("", ROOT, {"preToolUse": {"command": "x"}}, {"version": 1})) == {
        "version": 1,
        "hooks": {"preToolUse": [{"command": "x"}]},
    }


@pytest.mark.parametrize(
    "text", ['{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "[]", "nonsense", '{"a": ']
)
def test_a_file_of_another_shape_is_refused_and_not_rebuilt(text):
    with pytest.raises(SettingsError):
        merged(text, ROOT, {"PreToolUse": OURS})
