"""A call may carry others; a name or arguments that the carrier ignores must not hide the real ones."""

from __future__ import annotations

import pytest

from phasegate.targets.wrapped_calls import MAX_CALLS, inner_calls
from support.target_calls import PLAN, extraction, touched

CALL = {"path": PLAN, "content": "x"}


def test_every_name_and_every_object_of_arguments_counts():
    args = {"recipient_name": "read", "tool_name": "write_file", "args": {"path": "ok"}, "arguments": CALL}

    assert f"write {PLAN}" in touched(extraction("use_mcp_tool", args))


def test_arguments_may_stand_beside_the_name():
    assert inner_calls({"tool": "write", "path": PLAN}) == [("write", {"path": PLAN})]


@pytest.mark.parametrize("text", ['{"path": "a",}', "{", "[1]", "prose", "[" * 100_000])
def test_arguments_that_cannot_be_read_are_refused(text):
    """A gateway with a lenient parser would still make the call."""
    found = extraction("use_mcp_tool", {"tool_name": "write_file", "arguments": text})

    assert found.unusable == ("args.arguments",)


@pytest.mark.parametrize(
    "args", [{}, {"tool": 7}, {"calls": "x"}, {"calls": [1, "x", None]}, {"calls": [{}]}]
)
def test_without_a_name_there_is_no_call(args):
    assert inner_calls(args) == []


def test_the_number_of_calls_is_bounded():
    args = {"calls": [{"tool": "write", **CALL}] * 1000, "requests": [{"tool": "write", **CALL}] * 1000}

    assert len(inner_calls(args)) == MAX_CALLS + 1
