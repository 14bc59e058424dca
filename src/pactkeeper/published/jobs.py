"""Jobs, workers and schedules as JSON documents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pactkeeper.jobs.job import JobRow
from pactkeeper.published.plain import Codec


def moment(milliseconds: int) -> str:
    """Format a time in milliseconds as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


# Fields without a value yet are left out.
JOB: Final = Codec(
    JobRow,
    "id kind=job.kind repository=job.subject place=job.place commit=job.commit state"
    " files?=job.files added? began? ended? worker? result? error?",
    added=moment,
    began=moment,
    ended=moment,
)
LOST: Final = Codec(tuple[str, int], "worker at", at=moment)
