"""Calls of file tools in whose arguments no path is found."""

import json

import pytest

from phasegate.targets.unplaced import unplaced
from support.target_calls import ROOT, RUN, extraction, site

PLAN = f"{RUN}/02-to-be-plan.md"
WHERE = f"{ROOT}/{PLAN}"


@pytest.mark.parametrize(
    "args",
    [
        {"location": PLAN, "content": "x"},
        {"resource": f"file://{WHERE}"},
        {"name": PLAN},
        {"edits": json.dumps([{"file_path": PLAN, "old_string": "a"}])},
        {"input": json.dumps({"path": PLAN})},
        {"changes": {f"file://{WHERE}": [{"newText": "x"}]}},
        {"changes": [{"file_path": PLAN, "text": "x"}]},
        {"a": {"b": [[{"where": PLAN}]]}},
    ],
)
def test_what_such_a_call_names_in_the_control_directory_is_mentioned(args):
    found = extraction("write_file", args)
    assert [word for part in found.opaque for word in part.words] == [WHERE]


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"content": f"see {PLAN}"},
        {"content": PLAN, "description": PLAN},
        {"location": "src/app.py"},
        {"location": f"{PLAN}\n"},
        {"edits": "[not json", "input": "[" * 100_000},
        {"x": "[" + "1," * 700_000 + "1]"},
        {"x" * 100: PLAN},
        {"name": 7, "other": None},
        {"location": f"docs/about.recursive/{'x' * 5000}"},
    ],
)
def test_texts_and_other_places_are_not(args):
    assert unplaced("write_file", args, site()) is None


def test_a_bare_file_name_counts_where_it_would_lie_in_a_run():
    args = {"location": "02-to-be-plan.md", "title": "plan"}
    assert unplaced("write_file", args, site()) is None
    assert unplaced("write_file", args, site(cwd=f"{ROOT}/{RUN}")).words == (WHERE,)


def test_an_unknown_tool_without_a_path_is_left_to_the_tool_policy():
    assert extraction("note_taker", {"location": PLAN}).opaque == ()
