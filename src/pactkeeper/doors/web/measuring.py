"""What the server counts of itself, as Prometheus reads it."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest


class Measures:
    """Requests by operation and status, and how long they took."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "pactkeeper_requests", "Requests answered.", ["operation", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "pactkeeper_request_seconds", "How long requests took.", ["operation"], registry=self._registry
        )

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def text(self) -> bytes:
        """Everything counted so far, in Prometheus' text format."""
        return generate_latest(self._registry)
