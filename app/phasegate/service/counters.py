"""What the service counts. Plain integers: the decision route pays for nothing more."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

LATENCY_BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Upper bounds in seconds of the latency buckets; one more bucket holds the rest."""

_MAX_SERIES = 1000
_OTHER_RULE = "other"


@dataclass(slots=True)
class Counters:
    """`decisions` by (kind, rule, mode); `unrecorded`: given while the log could not be written;
    `unserved`: hook calls from directories that nobody serves; `failures`: judgements that
    ended in an unexpected exception.
    """

    decisions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    latency: list[int] = field(default_factory=lambda: [0] * (len(LATENCY_BOUNDS) + 1))
    latency_sum: float = 0.0
    unrecorded: int = 0
    unserved: int = 0
    failures: int = 0

    def failed(self) -> None:
        self.failures += 1

    def decided(self, kind: str, rule: str, mode: str, seconds: float) -> None:
        key = (kind, rule, mode)
        count = self.decisions.get(key)
        if count is None and len(self.decisions) >= _MAX_SERIES:
            # Labels come from policy files: a workspace must not fill the memory with them.
            key = (kind, _OTHER_RULE, mode)
            count = self.decisions.get(key)
        self.decisions[key] = (count or 0) + 1
        self.latency[bisect_left(LATENCY_BOUNDS, seconds)] += 1
        self.latency_sum += seconds
