"""Whether a runtime still runs our hook after its configuration was changed."""

import json

import pytest

from phasegate.core.call import ContentChange
from phasegate.core.change import MAX_WORK
from phasegate.core.hook_entry import may_switch, survives

COMMAND = "python /opt/phasegate/hook_client.py"
SETTINGS = {
    "model": "x",
    "permissions": {"allow": ["Bash(ls)"]},
    "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": COMMAND}]}]},
}
TOML = f'model = "x"\n[[hooks.PreToolUse]]\nmatcher = "*"\ncommand = "{COMMAND}"\n'


def kept(change, before=SETTINGS, name="settings.json"):
    after = json.loads(json.dumps(before))
    change(after)
    return survives(name, json.dumps(before), ContentChange("replace", json.dumps(after)))


@pytest.mark.parametrize(
    "change",
    [
        lambda new: new.update(model="x"),
        lambda new: new.update(model="y"),
        lambda new: new["permissions"]["allow"].append("Bash(cat)"),
        lambda new: new["hooks"].update(Stop=[{"hooks": [{"type": "command", "command": "say done"}]}]),
        lambda new: new["hooks"]["PreToolUse"][0]["hooks"].append({"type": "command", "command": "other"}),
        lambda new: new["hooks"]["PreToolUse"].insert(0, {"matcher": "Bash", "hooks": []}),
    ],
)
def test_other_settings_and_other_hooks_may_change(change):
    assert kept(change)


@pytest.mark.parametrize(
    "change",
    [
        lambda new: new.pop("hooks"),
        lambda new: new.update(disableAllHooks=True),
        lambda new: new["hooks"].update(enabled=False),
        lambda new: new["hooks"].update(Stop=new["hooks"].pop("PreToolUse")),
        lambda new: new["hooks"]["PreToolUse"][0].update(matcher="NoSuchTool"),
        lambda new: new["hooks"]["PreToolUse"][0]["hooks"][0].update(command="true # phasegate"),
        lambda new: new["hooks"]["PreToolUse"][0]["hooks"][0].update(disabled=True),
        lambda new: new.update(off=new.pop("hooks")),
    ],
)
def test_an_entry_that_would_no_longer_run_is_not_kept(change):
    assert not kept(change)


def test_an_entry_may_be_known_by_its_key_and_switches_may_be_lists():
    before = {"hooks": {"phasegate": {"command": "run"}, "disabled": []}}
    assert kept(lambda new: new.update(model="x"), before)
    assert not kept(lambda new: new["hooks"].update(disabled=["all"]), before)
    assert not kept(lambda new: new["hooks"]["phasegate"].update(command="true"), before)


def test_toml_is_read_like_json():
    change = ContentChange("edit", edits=(('"x"', '"y"', False),))
    assert survives("config.toml", TOML, change)
    assert not survives("config.toml", TOML, ContentChange("edit", edits=(('"*"', '"No"', False),)))


@pytest.mark.parametrize("after", ["", "[]", '{"x": "phasegate"', "[" * 100_000])
def test_a_result_that_is_no_settings_file_keeps_nothing(after):
    assert not survives("settings.json", json.dumps(SETTINGS), ContentChange("replace", after))


def test_a_file_that_cannot_be_parsed_keeps_the_lines_of_its_entry():
    before = "// mine\n{\n" + "\n" * 9 + f'"command": "{COMMAND}"\n' + "\n" * 9 + '"model": "x"\n}\n'
    assert survives("settings.json", before, ContentChange("edit", edits=(('"x"', '"y"', False),)))
    assert not survives("settings.json", before, ContentChange("edit", edits=(("python", "true", False),)))


def test_a_program_of_ours_stays_as_it_is():
    before = "// phasegate\nrun()\n"
    assert survives("phasegate.js", before, ContentChange("replace", before))
    assert not survives("phasegate.js", before, ContentChange("replace", "process.exit(0)\n" + before))


@pytest.mark.parametrize("change", [None, ContentChange("unknown", "jq .")])
def test_a_change_that_cannot_be_known_keeps_nothing(change):
    assert not survives("settings.json", json.dumps(SETTINGS), change)


def test_edits_that_are_too_many_to_follow_keep_nothing():
    edits = (("x", "x" * (MAX_WORK // 2), True),) * 3
    assert not survives("settings.json", json.dumps(SETTINGS), ContentChange("edit", edits=edits))


@pytest.mark.parametrize(
    ("after", "survived"),
    [
        ('{"disableAllHooks": true}', False),
        ('{"disableAllHooks": 1}', False),
        ('{"disableAllHooks": tru', False),
        ('{"disableAllHooks": false}', True),
        ('{"model": "x"}', True),
    ],
)
def test_a_file_without_an_entry_may_not_turn_all_hooks_off(after, survived):
    change = ContentChange("replace", after)
    assert survives("settings.local.json", "", change) is survived
    assert may_switch(change) is ("disableAllHooks" in after)


def test_an_entry_nested_beyond_reason_is_not_looked_for():
    deep: dict = {"command": COMMAND}
    for _ in range(80):
        deep = {"a": deep}
    assert kept(lambda new: new.clear(), {"hooks": deep})


def test_no_change_switches_nothing():
    assert not may_switch(None)
    assert may_switch(ContentChange("edit", edits=(("{", '{"disableAllHooks": true,', False),)))
