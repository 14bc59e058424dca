"""Verbs about runs and what they recommend."""

from __future__ import annotations

from typing import Final

from pactkeeper.ledger.run import RUN_STATUSES
from pactkeeper.ledger.shape import Choice
from pactkeeper.operators import recommendations, recover, run_difference, runs
from pactkeeper.published.runs import run_document
from pactkeeper.verbs.shapes import (
    ID,
)
from pactkeeper.verbs.verb import Call, Document, Verb, may


def list_runs(asked: Call) -> Document:
    """List runs."""
    found = runs.list_runs(asked.workspace, status=asked.given.get("status"))
    return {"runs": [run_document(one) for one in found]}


def show_run(asked: Call) -> Document:
    """Show a run."""
    found = runs.show_run(asked.workspace, asked.maybe("run"))
    questions = [{"id": one.id, "subject": one.subject} for one in found.questions]
    return {**run_document(found.listed), "questions": questions}


ROWS: Final = (
    Verb(
        runs.list_runs,
        None,
        "Runs, newest first.",
        title="Runs",
        takes=may(status=Choice(RUN_STATUSES)),
        gives={"runs": "array"},
        answer=list_runs,
        pages="runs",
    ),
    Verb(
        runs.show_run,
        None,
        "One run (default: newest) and its questions.",
        title="Run",
        takes=may(run=ID),
        gives={"run": "object", "state": "string", "ops": "object", "questions": "array"},
        answer=show_run,
    ),
    Verb(run_difference.diff_runs, None, "What two runs propose, ask and found differently."),
    Verb(runs.cancel_run, "record", "Stop a run."),
    Verb(runs.cancel_own_run, "record", "Stop the run that this process is at."),
    Verb(recover.recover_run, "record", "Go on with a run that was interrupted or failed."),
    Verb(runs.export_run, None, "All that the history holds about a run."),
    Verb(recommendations.list_recommendations, None, "What runs recommend, with what became of it."),
    Verb(recommendations.decide_recommendations, "record", "Accept, edit or reject in a batch."),
    Verb(recommendations.trace_origin, None, "From an atom to its recommendation, run and test, and back."),
)
