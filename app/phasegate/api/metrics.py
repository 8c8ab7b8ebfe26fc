"""`GET /metrics`: the service's counters in the Prometheus text format.

The counters are plain integers, incremented on the decision route, and become samples
only when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from phasegate.service import LATENCY_BOUNDS, Counters, Service


class ServiceCollector(Collector):
    """Samples of one service's counters."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters

    def collect(self) -> Iterator[Metric]:
        decisions = CounterMetricFamily(
            "phasegate_decisions", "Decisions by answer, rule and mode", labels=["kind", "rule", "mode"]
        )
        for labels, count in sorted(self._counters.decisions.items()):
            decisions.add_metric(list(labels), count)
        yield decisions
        yield CounterMetricFamily(
            "phasegate_decisions_unrecorded",
            "Decisions given while the log could not be written",
            value=self._counters.unrecorded,
        )
        yield CounterMetricFamily(
            "phasegate_unserved",
            "Hook calls that passed because no served workspace owns their directory",
            value=self._counters.unserved,
        )
        yield CounterMetricFamily(
            "phasegate_judgement_failures",
            "Calls whose evidence could not be gathered because of an unexpected error",
            value=self._counters.failures,
        )
        yield self._latency()

    def _latency(self) -> Metric:
        total = 0
        buckets = []
        for bound, count in zip((*LATENCY_BOUNDS, "+Inf"), self._counters.latency, strict=True):
            total += count
            buckets.append((str(bound), float(total)))
        family = HistogramMetricFamily("phasegate_decision_seconds", "Time from request to reply")
        family.add_metric([], buckets, self._counters.latency_sum)
        return family


def routes(service: Service) -> APIRouter:
    router = APIRouter(tags=["service"])
    registry = CollectorRegistry(auto_describe=False)
    registry.register(ServiceCollector(service.counters))

    @router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
    def metrics() -> Response:
        """Counters in the Prometheus text format."""
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return router
