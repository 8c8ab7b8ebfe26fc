"""Findings are collected once each, within bounds."""

from __future__ import annotations

import pytest

from phasegate.core.call import ContentChange, LockRequest, OpaqueReason, WriteTarget
from phasegate.targets.shell.limits import MAX_OPAQUE, MAX_TARGETS, TooMuch
from phasegate.targets.shell.report import Report


def target(path: str, op: str = "write") -> WriteTarget:
    return WriteTarget(path, path, path, op)


def test_a_target_counts_once():
    report = Report()
    report.target(target("/a"), "x")
    report.target(target("/a"), "y")

    assert report.count == 1


@pytest.mark.parametrize(
    ("op", "told"), [("write", ContentChange("unknown", "the command")), ("delete", None), ("chmod", None)]
)
def test_a_change_that_is_not_told_is_unknown(op, told):
    report = Report()
    report.target(target("/a", op), "the command")

    assert report.result().targets[0].change == told


def test_two_different_changes_of_one_target_are_unknown_and_both_kept():
    report = Report()
    key = report.target(target("/a"), "x")
    report.change(key, ContentChange("replace", "one"))
    report.change(key, ContentChange("replace", "one"))
    assert report.result().targets[0].change.kind == "replace"

    report.change(key, ContentChange("replace", "two"))
    change = report.result().targets[0].change

    assert change.kind == "unknown"
    assert "one" in change.text
    assert "two" in change.text


def test_reasons_about_one_part_are_joined():
    report = Report()
    report.opaque(OpaqueReason("p", "why", words=("/a",), cwds=("/",), destroys=("/d",)))
    report.opaque(OpaqueReason("p", "why", words=("/a", "/b"), cwds=("/c",)))
    report.opaque(OpaqueReason("p", "another"))

    first, _ = report.result().opaque

    assert (first.words, first.cwds, first.destroys) == (("/a", "/b"), ("/", "/c"), ("/d",))


def test_requests_count_once():
    report = Report()
    report.lock(LockRequest("a.md", "r1"))
    report.lock(LockRequest("a.md", "r1"))

    assert report.result().locks == (LockRequest("a.md", "r1"),)


def test_more_targets_or_reasons_than_the_bounds():
    report = Report()
    for number in range(MAX_TARGETS):
        report.target(target(f"/{number}"), "")
    for number in range(MAX_OPAQUE):
        report.opaque(OpaqueReason(str(number), "why"))

    with pytest.raises(TooMuch):
        report.target(target("/x"), "")
    with pytest.raises(TooMuch):
        report.opaque(OpaqueReason("x", "why"))
    report.overflow(OpaqueReason("the rest", "why"))

    assert report.result().opaque[-1].part == "the rest"
