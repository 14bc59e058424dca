"""Jobs, workers and schedules as documents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pactkeeper.jobs.job import JobRow
from pactkeeper.published.plain import Codec


def moment(milliseconds: int) -> str:
    """A time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


# What has not come to be yet is left out.
JOB: Final = Codec(
    JobRow,
    "id kind=job.kind repository=job.subject place=job.place commit=job.commit state"
    " files?=job.files added? began? ended? worker? result? error?",
    added=moment,
    began=moment,
    ended=moment,
)
LOST: Final = Codec(tuple[str, int], "worker at", at=moment)
