from prometheus_client import generate_latest

from pactkeeper.errors import StoreUnavailable
from pactkeeper.jobs.worker import Measures


def test_jobs_are_counted_by_kind_and_outcome():
    measures = Measures(lambda: {"waiting": 3})
    measures.count("sweep", "done", 4.0)
    told = generate_latest(measures.registry).decode()
    assert 'pactkeeper_jobs_total{kind="sweep",outcome="done"} 1.0' in told
    assert 'pactkeeper_job_seconds_bucket{kind="sweep",le="5.0"} 1.0' in told
    assert 'pactkeeper_queue{what="waiting"} 3.0' in told


def test_queue_that_cannot_be_asked_is_missing_and_not_empty():
    def away():
        raise StoreUnavailable("the database is away")

    assert "pactkeeper_queue{" not in generate_latest(Measures(away).registry).decode()
