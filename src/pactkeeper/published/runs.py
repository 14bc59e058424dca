"""Runs with the outcome of their proposals, jobs with their workers, and the fix tasks of sweeps, as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pactkeeper.intent.health import FixTask
from pactkeeper.intent.records import TestRecord
from pactkeeper.jobs.job import JobRow
from pactkeeper.ledger.canonical import TraceEvent
from pactkeeper.ledger.question import Question
from pactkeeper.operators.runs import ExportedRun, ListedRun, RunMetrics
from pactkeeper.published.plain import Codec


def run_state(one: ListedRun) -> str:
    """Return the status of a run; "interrupted" if its process is gone."""
    return "interrupted" if one.interrupted else one.run.status


LISTED: Final = Codec(ListedRun, "run state= ops=fates", state=run_state)
ASKED: Final = Codec(Question, "id subject")
EXPORTED: Final = Codec(
    ExportedRun,
    "run=shown.listed.run interrupted=shown.listed.interrupted fates=shown.listed.fates patch=shown.patch"
    " decisions=shown.decisions open_questions=shown.questions trace=shown.trace spent=shown.spent"
    " model_calls=shown.model_calls tests",
    patch="id",
    open_questions="id",
    tests=Codec(
        TestRecord,
        "testId=test_id filePath=file_path testName=test_name lineNumber=line_number bodyHash=body_hash outcome"
        " atomRecommendationId=recommendation createdAt=created_at",
    ),
)
_STEP: Final = Codec(TraceEvent, "node at milliseconds counts")
METRICS: Final = Codec(RunMetrics, "run status counts ops steps spent seconds_per_decision?", steps=_STEP)


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
FIX: Final = Codec(FixTask, "* createdAt=created_at")  # all fields, with the time also named as in seed tasks
