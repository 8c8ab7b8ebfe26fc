"""Ids, times and counters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from phasegate.service import Counters
from phasegate.service.labels import new_id


def test_ids_are_uuid7_in_order_of_time_and_unique():
    made = [new_id()[0] for _ in range(5000)]

    assert len(set(made)) == 5000
    assert [item[:18] for item in made] == sorted(item[:18] for item in made)
    assert {(item[14], item[19] in "89ab", len(item)) for item in made} == {("7", True, 36)}


def test_times_are_utc_with_microseconds():
    before = datetime.now(UTC)
    text = new_id()[1]
    after = datetime.now(UTC)

    assert len(text) == len("2026-11-30T12:00:00.123456Z")
    assert text.endswith("Z")
    assert before - timedelta(microseconds=1) <= datetime.fromisoformat(text) <= after


def test_metric_series_are_bounded():
    """Rule labels come from policy files that an agent may not write but a repository can carry."""
    counters = Counters()
    for number in range(3000):
        counters.decided("deny", f"rule-{number}", "strict", 0.001)

    assert len(counters.decisions) <= 1002
    assert sum(counters.decisions.values()) == 3000
