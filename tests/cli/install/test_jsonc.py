"""Editing other people's configuration files: nothing but the one entry may change."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.cli.install.jsonc import NotJson, insert, parse, remove, replace

COMMENTED = """// mine
{
    "model": "x", // the good one
    /* hooks */
    "hooks": {
        "A": [
            {"command": "lint"}, // first
        ],
    },
}
"""


def test_reads_comments_and_trailing_commas():
    assert parse(COMMENTED).plain() == {"model": "x", "hooks": {"A": [{"command": "lint"}]}}


@pytest.mark.parametrize("text", ["", "{", '{"a" 1}', "[1 2]", "{} x", "/* {", '{"a": }', "[" * 500])
def test_refuses_what_is_no_json(text):
    with pytest.raises(NotJson, match="line 1"):
        parse(text)


def test_an_element_is_added_in_the_files_own_style():
    tree = parse(COMMENTED)
    events = tree.members["hooks"].node

    assert insert(COMMENTED, events.members["A"].node, {"b": 1}) == COMMENTED.replace(
        '            {"command": "lint"}, // first\n',
        '            {"command": "lint"}, // first\n            {\n                "b": 1\n            },\n',
    )
    assert insert(COMMENTED, events, [], "B") == COMMENTED.replace(
        "        ],\n", '        ],\n        "B": [],\n'
    )


def test_an_element_is_added_behind_the_comment_of_the_last_one():
    text = '{\n  "a": 1 // one\n}\n'

    assert insert(text, parse(text), 2, "b") == '{\n  "a": 1, // one\n  "b": 2\n}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{\n  "k": 1\n}'),
        ('{"a": 1}', '{"a": 1, "k": 1}'),
        ('{"a": 1,}', '{"a": 1, "k": 1}'),
        ("{\n  // nothing yet\n}", '{\n  // nothing yet\n  "k": 1\n}'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": 1\n}'),
    ],
)
def test_an_element_is_added_to_any_object(text, expected):
    assert insert(text, parse(text), 1, "k") == expected


def test_a_value_is_replaced_where_it_stands():
    text = '{\n  "a": [1], // one\n  "b": 2\n}'

    assert replace(text, parse(text).members["a"].node, {"x": 1}) == (
        '{\n  "a": {\n    "x": 1\n  }, // one\n  "b": 2\n}'
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4), JSON, st.sampled_from([None, 2, "\t"]))
def test_what_was_added_last_is_removed_without_a_trace(document, value, indent):
    text = json.dumps(document, indent=indent)
    key = "the new key"
    added = insert(text, parse(text), value, key)
    removed = remove(added, parse(added), len(document))

    assert parse(added).plain() == {**document, key: value}
    assert parse(removed).plain() == document


@given(st.lists(JSON, min_size=1, max_size=5), st.data(), st.sampled_from([None, 2]))
def test_any_element_can_be_removed(items, data, indent):
    text = json.dumps(items, indent=indent)
    index = data.draw(st.integers(0, len(items) - 1))

    assert parse(remove(text, parse(text), index)).plain() == items[:index] + items[index + 1 :]


def test_comments_between_elements_survive_a_removal():
    text = "[\n  1, // one\n  2, // two\n  3 // three\n]"

    assert remove(text, parse(text), 1) == "[\n  1, // one\n  // two\n  3 // three\n]"
    assert parse(remove(text, parse(text), 2)).plain() == [1, 2]
