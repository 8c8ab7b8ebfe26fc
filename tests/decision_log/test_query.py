"""Requests for records: what is understood, and what is refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.decision_log.query import FILTERS, Query, cursor, instant, instant_text, parse_query, position
from phasegate.errors import InvalidRequest


def test_every_documented_filter_is_understood():
    documented = {
        "run_id", "workspace", "rule", "kind", "verdict", "mode", "tool", "runtime", "session_id", "agent_id",
        "call_id", "target", "type", "since", "until", "q", "limit", "cursor",
    }  # fmt: skip

    assert documented == FILTERS


def test_parameters_become_a_query():
    query = parse_query(
        {"rule": "phase-order", "kind": "deny", "limit": "7", "since": "1970-01-02", "cursor": cursor(9)}
    )

    assert query == Query(rule="phase-order", kind="deny", limit=7, since=86_400_000_000, before=9)


def test_no_parameters_ask_for_the_newest_decisions():
    assert parse_query({}) == Query(type="decision", limit=50)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("label", "good", "unknown filter"),
        ("before", "3", "unknown filter"),
        ("kind", "maybe", "not one of allow, deny"),
        ("verdict", "no", "not one of allow, deny, ask"),
        ("mode", "loose", "not one of strict, advisory"),
        ("type", "any thing", "not one of decision"),
        ("limit", "0", "not a number from 1 to 500"),
        ("limit", "501", "not a number from 1 to 500"),
        ("limit", "-1", "not a number from 1 to 500"),
        ("limit", "٣", "not a number from 1 to 500"),
        ("limit", "9" * 5000, "longer than"),
        ("since", "yesterday", "not an ISO 8601 time"),
        ("until", "", "not an ISO 8601 time"),
        ("cursor", "abc", "not a cursor"),
        ("cursor", "%%%", "not a cursor"),
        ("cursor", "YmVmb3JlOi0x", "not a cursor"),
        ("q", "x" * 5000, "longer than"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(name, text, problem):
    with pytest.raises(InvalidRequest) as caught:
        parse_query({name: text, "tool": "Bash"})

    assert [error["field"] for error in caught.value.errors] == [name]
    assert problem in caught.value.detail


def test_every_wrong_parameter_is_named():
    with pytest.raises(InvalidRequest) as caught:
        parse_query({"kind": "x", "limit": "y", "nonsense": "z"})

    assert [error["field"] for error in caught.value.errors] == ["kind", "limit", "nonsense"]


@given(st.text(max_size=40))
def test_no_text_is_taken_for_a_cursor_by_accident(text):
    try:
        seq = position(text)
    except ValueError:
        return
    assert position(cursor(seq)) == seq


@given(st.integers(-(10**15), 10**16))
def test_times_are_written_as_they_are_read(micros):
    assert instant(instant_text(micros)) == micros


@pytest.mark.parametrize(
    "text", ["2026-11-30T12:00:00Z", "2026-11-30T13:00:00+01:00", "2026-11-30T12:00:00", "2026-11-30 12:00"]
)
def test_times_without_an_offset_are_utc(text):
    assert instant_text(instant(text)) == "2026-11-30T12:00:00.000000Z"
