"""Jobs, workers and schedules as documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from pactkeeper.jobs.job import JobRow
from pactkeeper.published.plain import Codec

_ALWAYS: Final = Codec(JobRow, "id kind=job.kind repository=job.subject place=job.place commit=job.commit state")
_LATER: Final = Codec(JobRow, "files=job.files added began ended worker result error")
_TIMES: Final = {"added", "began", "ended"}


def job_document(row: JobRow) -> dict[str, object]:
    """A job with what became of it; what has not come to be yet is left out."""
    later = {name: value for name, value in _LATER(row).items() if value}
    return {**_ALWAYS(row), **{name: moment(value) if name in _TIMES else value for name, value in later.items()}}


def lost_document(lost_by: Sequence[tuple[str, int]]) -> list[dict[str, object]]:
    """The workers that lost a job, each with the time when it was taken from them."""
    return [{"worker": worker, "at": moment(at)} for worker, at in lost_by]


def moment(milliseconds: int) -> str:
    """A time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
