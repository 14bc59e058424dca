"""Verbs for CI and workers: pull requests, and jobs; people at a terminal see the jobs of all repositories."""

from __future__ import annotations

from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.jobs.job import JOB_STATES, KINDS, JobRow
from pactkeeper.ledger.shape import Choice
from pactkeeper.operators import jobs, pull_requests
from pactkeeper.published.jobs import JOB, LOST
from pactkeeper.published.plain import Codec
from pactkeeper.verbs.verb import ID, REF, Call, Verb, both, may, needs

MOST: Final = 1000
# Programs may only request jobs that need nothing but the repository; the other kinds act for a person or read files
# of the host.
FOR_PROGRAMS: Final = ("guard", "check", "reconcile", "sweep", "tick")
_GIVES: Final = {"job": JOB}
_ADDED: Final = Codec(jobs.AddedJob, "job=row new", job=JOB)
_SHOWN: Final = Codec(jobs.ShownJob, "job=row handedOver=lost_by", job=JOB, handedOver=LOST)
_MEANS: Final = {"job": "id of a job"}


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


ROWS: Final = (
    Verb(
        jobs.add_job,
        "record",
        "Add a job that a worker runs; the same at the same commit is added once.",
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
        means=_MEANS,
        gives=_SHOWN,
        answer=lambda asked: jobs.show_job(asked.workspace.surroundings, _own(asked).id),
    ),
    Verb(
        jobs.cancel_job,
        "record",
        "Cancel a job that waits or runs.",
        routes=("POST /jobs/{job}/cancel",),
        takes=needs(job=ID),
        means=_MEANS,
        gives=_GIVES,
        answer=lambda asked: jobs.cancel_job(asked.workspace.surroundings, _own(asked).id),
    ),
    Verb(
        jobs.retry_job,
        "record",
        "Run a job again that failed or was cancelled.",
        routes=("POST /jobs/{job}/retry",),
        takes=needs(job=ID),
        means=_MEANS,
        gives=_GIVES,
        answer=lambda asked: jobs.retry_job(asked.workspace.surroundings, _own(asked).id),
        runs_code=True,
    ),
    Verb(jobs.receive_event, "record", "Add the job that an event of a forge asks for."),
    Verb(jobs.prune_jobs, "record", "Forget jobs that ended long ago."),
    Verb(jobs.schedule_job, "record", "Add a job again and again, at the times of a cron expression."),
    Verb(jobs.unschedule_job, "record", "Forget a schedule."),
    Verb(jobs.list_schedules, None, "What is added again and again."),
    Verb(jobs.limit_jobs, "record", "Change how much runs at a time, or how often jobs start."),
    Verb(jobs.list_workers, None, "The workers that live."),
    Verb(jobs.work_on_jobs, "record", "Run jobs until told to end."),
    Verb(pull_requests.bring_here, "record", "Fetch what is missing of a pull request's commits."),
    Verb(pull_requests.read_change, None, "What a change promises, proves, weakens and leaves without intent."),
    Verb(pull_requests.report_pull_request, "reversible-external", "Keep a pull request's status and comment current."),
    Verb(pull_requests.answer_comment, "reversible-external", "Do what a comment of somebody who may write asks."),
    Verb(pull_requests.propose_branch, "reversible-external", "Propose what reconciling finds as a pull request."),
)
