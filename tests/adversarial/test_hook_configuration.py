"""Taking the guard's hook out of a runtime's configuration without taking its name out."""

import json

import pytest

from support.guarded import guarded

SETTINGS = ".claude/settings.json"
DENIED = ("deny", "control-plane")


@pytest.fixture
def guard(tmp_path):
    with guarded(tmp_path) as found:
        command = {"type": "command", "command": "python /opt/phasegate/hook_client.py"}
        text = {"model": "x", "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [command]}]}}
        (found.root / ".claude").mkdir()
        (found.root / SETTINGS).write_text(json.dumps(text, indent=1))
        yield found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("python /opt/phasegate/hook_client.py", "true phasegate"),
        ('"*"', '"NoSuchTool"'),
        ("PreToolUse", "Stop"),
        ('"model"', '"disableAllHooks": true, "model"'),
    ],
)
def test_an_edit_that_keeps_the_word_but_not_the_hook_is_refused(guard, old, new):
    assert guard.answer("Edit", {"file_path": SETTINGS, "old_string": old, "new_string": new}) == DENIED


def test_a_new_file_with_the_word_alone_is_refused(guard):
    assert guard.answer("Write", {"file_path": SETTINGS, "content": '{"x": "phasegate"}'}) == DENIED


def test_another_file_may_not_turn_all_hooks_off(guard):
    local = ".claude/settings.local.json"
    assert guard.answer("Write", {"file_path": local, "content": '{"disableAllHooks": true}'}) == DENIED
    assert guard.answer("Write", {"file_path": local, "content": '{"model": "x"}'}) == ("allow", "none")


def test_the_rest_of_the_settings_may_change(guard):
    edit = {"file_path": SETTINGS, "old_string": '"x"', "new_string": '"y"'}
    assert guard.answer("Edit", edit) == ("allow", "none")
