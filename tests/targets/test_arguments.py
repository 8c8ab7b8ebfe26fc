"""Every path-like argument counts, at any depth; texts never do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.targets.arguments import MAX_DEPTH, MAX_PATHS, Arguments, collect, text_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["path", "files", "edits", "content", "cwd", "x", "from", "mode"]), inner
        )
    ),
    max_leaves=25,
)


def spelled(found: Arguments) -> list[str]:
    return [entry.text for group in found.groups for entry in group.paths]


@pytest.mark.parametrize(
    "args",
    [
        {"file_path": "a"},
        {"file_path": ["a"]},
        {"file_path": [["a"]]},
        {"paths": ["a"]},
        {"edits": [{"file_path": "a"}]},
        {"x": {"y": [{"z": {"path": "a"}}]}},
        {"file": {"path": "a"}},
        {"files": [{"path": "a", "content": "b"}]},
        {"files": {"a": "b"}},
        {"textDocument": {"uri": "a"}},
        {"input": {"path": "a"}},
    ],
)
def test_finds_a_path_wherever_it_stands(args):
    assert spelled(collect(args)) == ["a"]


def test_a_decoy_does_not_hide_another_path():
    assert spelled(collect({"file_path": "ok", "path": "bad", "uri": "worse"})) == ["ok", "bad", "worse"]


@pytest.mark.parametrize(
    "args",
    [
        {"content": {"path": "a"}},
        {"prompt": "a", "plan": "b", "pattern": "c", "query": "d", "url": "e", "command": "f"},
        {"todos": [{"file": "a"}]},
        {"name_path": "a"},
        {"from": "a", "to": "b"},
        {},
    ],
)
def test_texts_are_no_paths(args):
    found = collect(args)

    assert spelled(found) == []
    assert found.unusable == []


def test_short_words_are_paths_of_movers_alone():
    assert spelled(collect({"from": "a", "to": "b"}, moves=True)) == ["a", "b"]


def test_extra_keys_are_paths_where_the_tool_says_so():
    assert spelled(collect({"directory": "a"}, extra=frozenset({"directory"}))) == ["a"]


@pytest.mark.parametrize(
    "value", [7, True, 1.5, "", "  ", {"x": 1}, {}, [7], "a\0b", "x" * 5000, {"y": {"z": 1}}]
)
def test_names_a_path_argument_that_cannot_be_read(value):
    """A tool might make something of it, so a writer with such an argument can't be let through."""
    assert collect({"file_path": value}).unusable


@pytest.mark.parametrize("value", [None, [], [None]])
def test_an_absent_value_is_not_unusable(value):
    assert collect({"file_path": value}).unusable == []


def test_unknown_tools_may_mean_something_else_by_a_path_key():
    assert collect({"target": 7, "source": {"x": 1}}, strict=False).unusable == []
    assert collect({"target": "a\0b"}, strict=False).unusable == ["args.target"]


def test_says_where_a_path_came_from():
    found = collect({"edits": [{"file_path": "a"}, {"file_path": ["b"]}]})

    assert [entry.via for group in found.groups for entry in group.paths] == [
        "args.edits[0].file_path",
        "args.edits[1].file_path[0]",
    ]


def test_texts_belong_to_the_nearest_path_above_them():
    found = collect({"path": "a", "edits": [{"old": "x", "new": "y"}, {"path": "b", "old": "p", "new": "q"}]})
    groups = {
        group.paths[0].text: [(texts.old, texts.new) for texts in group.texts] for group in found.groups
    }

    assert groups == {"a": [("x", "y")], "b": [("p", "q")]}


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"path": "deep"}
    for _ in range(depth):
        node = {"x": node}
    return node


def test_depth_is_bounded_and_the_bound_is_told():
    assert spelled(collect(nested(MAX_DEPTH - 1))) == ["deep"]
    assert collect(nested(MAX_DEPTH + 5)).overflow
    assert collect({"path": nested(3000)}).overflow


def test_numbers_of_paths_and_nodes_are_bounded():
    many = collect({"paths": [str(n) for n in range(10_000)]})

    assert len(spelled(many)) == MAX_PATHS
    assert many.overflow
    assert collect({"edits": [{"x": 1}] * 100_000}).overflow


def test_texts_of_any_shape_are_joined():
    assert text_of(["a", {"b": "c"}, None, True, 5]) == "a\nc\n5"


@given(JSON)
def test_never_raises_on_any_json(value):
    for strict in (True, False):
        found = collect({"path": value, "x": value, "content": value}, strict=strict, moves=True)

        assert all(text.strip() for text in spelled(found))
