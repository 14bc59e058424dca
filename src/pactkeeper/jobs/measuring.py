"""The metrics of a worker and of the queue, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from pactkeeper.errors import BusyError, StoreUnavailable, UsageError

BUCKETS = (0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200)


class Measures:
    """Jobs of this worker by kind and outcome, their durations, and what is waiting across all workers."""

    def __init__(self, waiting: Callable[[], Mapping[str, int]]) -> None:
        self.registry = CollectorRegistry()
        self._jobs = Counter(
            "pactkeeper_jobs", "Jobs that ended on this worker.", ["kind", "outcome"], registry=self.registry
        )
        self._seconds = Histogram(
            "pactkeeper_job_seconds", "How long jobs took.", ["kind"], buckets=BUCKETS, registry=self.registry
        )
        self.registry.register(_Waiting(waiting))

    def count(self, kind: str, outcome: str, seconds: float) -> None:
        """Count a job."""
        self._jobs.labels(kind, outcome).inc()
        self._seconds.labels(kind).observe(seconds)

    def serve(self, host: str, port: int) -> None:
        """Start serving Prometheus; raises UsageError if the address can't be bound."""
        try:
            start_http_server(port, host, self.registry)
        except OSError as error:
            raise UsageError(f"{host}:{port} cannot be listened at: {error.strerror}; name another port") from None


class _Waiting(Collector):
    """Reads the queue at each scrape."""

    def __init__(self, waiting: Callable[[], Mapping[str, int]]) -> None:
        self._ask = waiting

    def collect(self) -> Iterator[Metric]:
        family = GaugeMetricFamily("pactkeeper_queue", "Jobs that wait or run, and workers that live.", labels=["what"])
        try:
            found = self._ask()
        except (StoreUnavailable, BusyError):
            found = {}  # an unreachable queue is not an empty one, so the metric is left out
        for name, number in found.items():
            family.add_metric([name], number)
        yield family
