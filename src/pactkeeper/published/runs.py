"""A run with the outcome of its proposals, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.records import TestRecord
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
METRICS: Final = Codec(RunMetrics, "run status counts ops steps spent seconds_per_decision?")
