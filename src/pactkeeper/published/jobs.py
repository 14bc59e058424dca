"""Jobs, workers and schedules as documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pactkeeper.jobs.job import JobRow


def job_document(row: JobRow) -> Mapping[str, object]:
    """A job with what became of it; what has not come to be yet is left out."""
    job = row.job
    times = {"added": row.added, "began": row.began, "ended": row.ended}
    return {
        "id": row.id,
        "kind": job.kind,
        "repository": job.subject,
        "place": job.place,
        "commit": job.commit,
        "state": row.state,
        **{name: moment(value) for name, value in times.items() if value},
        **({"worker": row.worker} if row.worker else {}),
        **({"result": row.result} if row.result else {}),
        **({"error": row.error} if row.error else {}),
    }


def lost_document(lost_by: Sequence[tuple[str, int]]) -> Sequence[Mapping[str, object]]:
    """The workers that lost a job, each with the time when it was taken from them."""
    return [{"worker": worker, "at": moment(at)} for worker, at in lost_by]


def moment(milliseconds: int) -> str:
    """A time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
