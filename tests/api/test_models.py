"""The quick check of a request agrees with the documented model, in what it refuses and in the call."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from phasegate.api import models
from phasegate.api.models import DecisionRequest, parse_call, tool_call
from phasegate.api.strict_json import parse_json
from phasegate.errors import InvalidRequest

USUAL = {
    "tool": "write",
    "args": {"file_path": "a.md", "content": "a: b"},
    "workspace": "/srv/repo",
    "cwd": "/srv/repo/src",
    "run_id": "r1",
    "mode": "strict",
    "runtime": "claude-code",
    "session_id": "s-1",
    "agent_id": "a-1",
    "call_id": "c-1",
}
ODD = [
    None, True, False, 0, 1, -1.5, 2**63, "", " ", "\t\n\u2003", "\x1f", "\x00", "x" * 512, "x" * 513,
    "\U0001f600" * 512, "\U0001f600" * 513, "/", "//", "/a b/\u00fc", "relative", "~/a", " /a", "/a\x00b",
    "/a\nb\n", "\n/a", "/" + "x" * 4095, "/" + "x" * 4096, "/" + "\u00fc" * 4095, "strict", "advisory",
    "Strict", "off", [], ["strict"], {}, {"a": None}, {"tool": "x"}, "null", "{}", '{"a": ":"}', "[1]",
    '{"a": 1, "a": 2}', '{"a": NaN}', '"x"', "{", "1", "true",
]  # fmt: skip
odd = st.sampled_from(ODD) | st.text(max_size=6)


@st.composite
def requests(draw):
    """A usual request with some members left out, some odd, and now and then one too many."""
    value = {key: item for key, item in USUAL.items() if draw(st.integers(0, 5))}
    for key in draw(st.lists(st.sampled_from(list(USUAL)), max_size=3)):
        value[key] = draw(odd)
    if not draw(st.integers(0, 9)):
        value[draw(st.sampled_from(["phase", "Tool", "tool ", "", "facts"]))] = draw(odd)
    return value


def by_model(value):
    """The call of *value* as the documented model reads it, None for one that it refuses."""
    try:
        return tool_call(DecisionRequest.model_validate(value))
    except ValidationError:
        return None


@given(requests() | odd)
def test_never_passes_what_the_model_refuses_and_makes_the_same_call(value):
    quick = models._ordinary_call(value)

    assert quick is None or quick == by_model(value)


@pytest.mark.parametrize("key", USUAL)
@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_agrees_on_each_odd_value_of_each_field(key, value):
    changed = USUAL | {key: value}

    assert models._ordinary_call(changed) == by_model(changed)


@given(requests())
@example({})
@example({"tool": "write"})
def test_what_it_leaves_to_the_model_is_what_the_model_refuses(value):
    """Else an ordinary request pays for both."""
    assert (models._ordinary_call(value) is None) == (by_model(value) is None)


@given(requests())
def test_a_body_is_read_alike_by_both(value):
    body = orjson.dumps(value)
    expected = by_model(parse_json(body))
    if expected is not None:
        assert parse_call(body) == expected
        return
    with pytest.raises(InvalidRequest):
        parse_call(body)


def test_the_ordinary_request_does_not_pay_for_the_model(monkeypatch):
    monkeypatch.setattr(models, "_request", None)

    assert parse_call(json.dumps(USUAL).encode()).tool == "write"
    assert parse_call(b'{"tool": "write"}').args == {}
