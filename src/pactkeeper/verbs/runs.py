"""Verbs about runs and what they recommend."""

from __future__ import annotations

from typing import Final

from pactkeeper.errors import InputError, UsageError
from pactkeeper.intent.records import RECOMMENDATION_STATUSES, AtomRecommendation, MoleculeRecommendation, Wanted
from pactkeeper.jobs.job import JOB_STATES, KINDS, JobRow
from pactkeeper.ledger.canonical import RUN_STATUSES, Run
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.shape import Choice, Items, Slice
from pactkeeper.operators import decide, jobs, recommendations, reconcile, runs
from pactkeeper.operators.recommendations import Word
from pactkeeper.published.ops import MADE
from pactkeeper.published.plain import Codec
from pactkeeper.published.runs import ASKED, EXPORTED, JOB, LISTED, LOST, METRICS
from pactkeeper.published.schema import returned
from pactkeeper.verbs.verb import EDITED, FLAG, ID, LINE, REF, RUN, Call, Verb, both, may, needs


def list_recommendations(asked: Call) -> Slice:
    """List recommended atoms and molecules."""
    given = asked.given
    wanted = Wanted(given.get("run"), given.get("status"), given.get("test"), given.get("atom"))
    cursor, limit = asked.page()
    return recommendations.recommendation_slice(asked.workspace, wanted, cursor=cursor, limit=limit)


def decide_recommendations(asked: Call) -> tuple[Decision, ...]:
    """Accept, edit or reject the named recommendations, all or none."""
    names = (*asked.texts("names"), *((asked.text("name"),) if "name" in asked.given else ()))
    if bool(names) == asked.flag("everything"):
        raise UsageError("name what to decide, or use `everything`")
    edited = tuple(asked.given.get("edited", {}).items())
    if bool(edited) != (asked.given["verdict"] == "edit"):
        raise UsageError("an edit, and only an edit, says in `edited` what to declare instead")
    word = Word(asked.given["verdict"], asked.text("reason"), edited)
    return recommendations.decide_recommendations(asked.workspace, names, word, run=asked.text("run"))


ROWS: Final = (
    Verb(
        runs.list_runs,
        None,
        "Runs, newest first.",
        title="Runs",
        categories=("reconcile",),
        routes=("GET /agents/reconciliation/runs",),
        takes=may(status=Choice(RUN_STATUSES)),
        gives={"runs": [LISTED]},
        answer=lambda asked: runs.known_runs(asked.workspace, status=asked.given.get("status")),
        pages="runs",
        dress=runs.listed_runs,
    ),
    Verb(
        runs.run_standing,
        None,
        "One run (default: newest) and its questions.",
        called="show_run",
        title="Run",
        categories=("reconcile",),
        routes=("GET /agents/reconciliation/runs/{run}",),
        takes=may(run=ID),
        gives=(LISTED, {"questions": [ASKED]}),
        answer=lambda asked: runs.run_standing(asked.workspace, asked.maybe("run")),
    ),
    Verb(
        runs.cancel_run,
        "record",
        "Stop a run.",
        routes=("POST /agents/reconciliation/runs/{run}/cancel",),
        takes=needs(run=RUN),
        gives={"run": Run},
        answer=lambda asked: runs.cancel_run(asked.workspace, asked.text("run")),
    ),
    Verb(
        reconcile.recover_run,
        "record",
        "Resume a run that was interrupted or failed.",
        routes=("POST /agents/reconciliation/runs/{run}/recover",),
        takes=may(run=RUN),
        gives=MADE,
        answer=lambda asked: reconcile.recover_run(asked.workspace, asked.maybe("run")),
    ),
    Verb(
        runs.export_run,
        None,
        "All that the history holds about a run.",
        routes=("GET /agents/reconciliation/runs/{run}/export",),
        takes=may(run=RUN),
        gives=EXPORTED,
        answer=lambda asked: runs.export_run(asked.workspace, asked.maybe("run")),
    ),
    Verb(
        runs.run_metrics,
        None,
        "How long the steps of a run took, what they counted and what models cost.",
        routes=("GET /agents/reconciliation/runs/{run}/metrics",),
        takes=may(run=RUN),
        gives=METRICS,
        answer=lambda asked: runs.run_metrics(asked.workspace, asked.maybe("run")),
    ),
    Verb(
        recommendations.recommendation_slice,
        None,
        "Recommendations of runs, with their state.",
        routes=(
            "GET /agents/reconciliation/recommendations",
            "GET /agents/reconciliation/pending?status=pending",
            "GET /agents/reconciliation/runs/{run}/recommendations",
        ),
        takes=may(run=RUN, status=Choice(RECOMMENDATION_STATUSES), test=LINE, atom=ID),
        gives={"recommendations": [AtomRecommendation | MoleculeRecommendation]},
        called="list_recommendations",
        answer=list_recommendations,
        pages="recommendations",
        sliced=True,
    ),
    Verb(
        recommendations.decide_recommendations,
        "record",
        "Accept, edit or reject recommendations of a run, all that are named or none.",
        routes=(
            "POST /agents/reconciliation/runs/{run}/recommendations/batch",
            "POST /agents/reconciliation/runs/{run}/recommendations/{name}/accept?verdict=accept",
            "POST /agents/reconciliation/runs/{run}/recommendations/{name}/reject?verdict=reject",
        ),
        takes=both(
            needs(run=RUN, verdict=Choice(("accept", "edit", "reject"))),
            may(name=ID, names=Items(LINE, 1, 200), everything=FLAG, reason=LINE, edited=EDITED),
        ),
        means={"verdict": "what to do with it", "edited": "what to declare instead", "everything": "all of the run"},
        gives={"decisions": [Decision]},
        answer=decide_recommendations,
        version=lambda asked: decide.load_pending(asked.workspace, asked.text("run")).version,
    ),
    Verb(
        recommendations.trace_origin,
        None,
        "From an atom to its recommendation, run and test, and back.",
        routes=(
            "GET /agents/reconciliation/atoms/{name}/trace",
            "GET /agents/reconciliation/molecules/{name}/trace",
            "GET /agents/reconciliation/trace",
        ),
        takes=needs(name=LINE),
        gives={"traces": returned(recommendations.trace_origin)},
        answer=lambda asked: recommendations.trace_origin(asked.workspace, asked.text("name")),
    ),
)


MOST: Final = 1000
# Programs may only request jobs that need nothing but the repository; the other kinds act for a person or read files
# of the host.
FOR_PROGRAMS: Final = ("guard", "check", "reconcile", "sweep", "tick")
_GIVES: Final = {"job": JOB}
_ADDED: Final = Codec(jobs.AddedJob, "job=row new", job=JOB)
_SHOWN: Final = Codec(jobs.ShownJob, "job=row handedOver=lost_by", job=JOB, handedOver=LOST)


def add_job(asked: Call) -> jobs.AddedJob:
    """Add a job for this repository."""
    request = jobs.JobRequest(asked.text("kind"), asked.text("at"), asked.text("since"))
    return jobs.add_job(asked.workspace, request)


def _own(asked: Call) -> JobRow:
    """Return this repository's job with that id; raises InputError for one of another repository."""
    name = asked.text("job")
    row = jobs.show_job(asked.workspace.surroundings, name).row
    if row.job.subject != asked.workspace.identity:
        raise InputError(f"the queue has no job {name!r} of this repository; list its jobs first")
    return row


JOB_ROWS: Final = (
    Verb(
        jobs.add_job,
        "record",
        "Add a job for workers; the same at the same commit is added once.",
        routes=("POST /jobs",),
        takes=both(needs(kind=Choice(FOR_PROGRAMS)), may(at=REF, since=REF)),
        means={"kind": "what to run", "at": "commit or branch", "since": "commit to compare with"},
        gives=_ADDED,
        answer=add_job,
        idempotent=True,
        runs_code=True,
    ),
    Verb(
        jobs.list_jobs,
        None,
        "Jobs of this repository, newest first.",
        routes=("GET /jobs",),
        takes=may(state=Choice(JOB_STATES), kind=Choice(tuple(KINDS))),
        means={"state": "what became of it", "kind": "what it runs"},
        gives={"jobs": [JOB]},
        answer=lambda asked: jobs.list_jobs(
            asked.workspace.surroundings,
            state=asked.given.get("state"),
            kind=asked.text("kind"),
            subject=asked.workspace.identity,
            limit=MOST,
        ),
        pages="jobs",
    ),
    Verb(
        jobs.show_job,
        None,
        "One job: where it runs, what came of it, which workers lost it.",
        routes=("GET /jobs/{job}",),
        takes=needs(job=ID),
        gives=_SHOWN,
        answer=lambda asked: jobs.show_job(asked.workspace.surroundings, _own(asked).id),
    ),
    Verb(
        jobs.cancel_job,
        "record",
        "Cancel a job that waits or runs.",
        routes=("POST /jobs/{job}/cancel",),
        takes=needs(job=ID),
        gives=_GIVES,
        answer=lambda asked: jobs.cancel_job(asked.workspace.surroundings, _own(asked).id),
    ),
    Verb(
        jobs.retry_job,
        "record",
        "Run a job again that failed or was cancelled.",
        routes=("POST /jobs/{job}/retry",),
        takes=needs(job=ID),
        gives=_GIVES,
        answer=lambda asked: jobs.retry_job(asked.workspace.surroundings, _own(asked).id),
        runs_code=True,
    ),
)
