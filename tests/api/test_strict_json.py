"""JSON that every reader reads alike, or an error."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.api.strict_json import parse_json

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
)


@given(values)
def test_reads_every_ordinary_value(value):
    assert parse_json(json.dumps(value).encode()) == value
    assert parse_json(orjson.dumps(value)) == value


@given(st.dictionaries(st.text(), values, min_size=1), st.data())
def test_refuses_a_repeated_key_at_any_depth(value, data):
    """Readers differ in which of the two they take, so the guard could judge another path than the tool's."""
    key = data.draw(st.sampled_from(sorted(value)))
    members = [f"{json.dumps(name)}: {json.dumps(item)}" for name, item in value.items()]
    doubled = "{" + ", ".join([*members, f"{json.dumps(key)}: 0"]) + "}"

    for text in (doubled, f'{{"args": {doubled}}}', f"[[{doubled}]]"):
        with pytest.raises(json.JSONDecodeError, match="appears twice in one object"):
            parse_json(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"NaN",
        b'{"a": Infinity}',
        b'{"a": "\xff"}',
        b'"\\ud800"',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xef\xbb\xbf{}",
    ],
    ids=["empty", "torn", "nan", "infinity", "utf-8", "surrogate", "deep-list", "deep-object", "bom"],
)
def test_refuses_what_is_not_strict_json(text):
    with pytest.raises(json.JSONDecodeError):
        parse_json(text)
