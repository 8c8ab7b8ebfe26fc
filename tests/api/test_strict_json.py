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


members = st.lists(
    st.tuples(
        st.sampled_from(['"a"', '"\\u0061"', '":"', '"\\u003a"', '"\\""', '"\\\\"', '"\\\\u003a"', '"u:"']),
        st.sampled_from(
            [
                "0",
                '":"',
                '"\\u003A"',
                '"\\u003a"',
                '"\\\\"',
                '"::"',
                '"\\":\\""',
                '{"b" :1}',
                '[{"b":":"},{}]',
            ]
        ),
    ),
    max_size=4,
)


@given(members, st.sampled_from([":", " : ", ":\n"]))
def test_colons_in_strings_neither_hide_a_repeated_key_nor_look_like_one(pairs, colon):
    """Keys are told apart by counting colons; escaped ones and those of texts must not upset the sum."""
    text = "{" + ",".join(f"{key}{colon}{value}" for key, value in pairs) + "}"
    keys = [json.loads(key) for key, _ in pairs]

    if len(set(keys)) == len(keys):
        assert parse_json(text.encode()) == json.loads(text)
        return
    with pytest.raises(json.JSONDecodeError, match="appears twice in one object"):
        parse_json(text.encode())


def test_refuses_a_repeated_key_at_a_depth_where_it_cannot_be_named():
    text = b'{"a":' * 1015 + b'{"k":1,"k":2}' + b"}" * 1015

    with pytest.raises(json.JSONDecodeError, match="a key appears twice in one object"):
        parse_json(text)


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
