"""`pk jobs` and `pk worker`: the jobs of a team's queue, and the process that runs them."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import SIGNALS, bold, count, dim, document, note, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.errors import StaleError, UsageError
from pactkeeper.jobs.job import JOB_STATES, KINDS, JobRow, JobState
from pactkeeper.operators import jobs
from pactkeeper.operators.jobs import DRAIN, SILENCE, JobRequest, WorkRequest
from pactkeeper.operators.team import tree_of
from pactkeeper.published.runs import JOB, LOST, moment
from pactkeeper.settings import environment
from pactkeeper.workspace import Workspace, open_workspace

repository_option = click.option(
    "--repository",
    default="",
    metavar="NAME",
    help="For this repository of the server (pk repos) instead of the current one.",
)
kind_option = click.Choice(tuple(KINDS))


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Add, list, show, cancel, retry and schedule jobs that workers run.

    Jobs need Postgres and a running `pk worker`; one person on one machine needs neither. See docs/workers.md.
    """


@command.command()
@click.argument("kind", type=kind_option, metavar="KIND")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--at", "commit", default="", metavar="REF", help="For this commit instead of HEAD.")
@click.option("--since", default="", metavar="REF", help="Compare with this commit: guard, reconcile.")
@repository_option
@click.option("--again", is_flag=True, help="Add it even if this commit had one already.")
@as_json
def add(*, repository: str, again: bool, json_: bool, **asked: Any) -> None:  # noqa: ANN401 - as click gives them
    """Add a job for this repository; the same job at the same commit is added once.

    Instead of files, `pull-request` takes the NUMBER of a pull request, and `answer` takes that and the COMMENT.
    """
    occasion = datetime.now(UTC).isoformat() if again else ""
    with _chosen(repository) as opened:
        found = jobs.add_job(opened, JobRequest(**asked, occasion=occasion))
    if json_:
        document({"new": found.new, "job": JOB(found.row)}, "job/1")
        return
    say(_line(found.row))
    if not found.new:
        way = f"pk jobs retry {found.row.id}" if found.row.state in {"failed", "cancelled"} else "add it with --again"
        note(f"it exists already; to run it once more: {way}")


@command.command("list")
@click.option("--state", type=click.Choice(JOB_STATES), help="Only jobs in this state.")
@click.option("--kind", type=kind_option, help="Only jobs of this kind.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most N jobs.")
@as_json
def list_command(*, state: JobState | None, kind: str | None, limit: int, json_: bool) -> None:
    """List the jobs of all repositories, newest first."""
    found = jobs.list_jobs(environment(), state=state, kind=kind or "", limit=limit)
    if json_:
        document({"jobs": JOB.each(found)}, "jobs/1")
        return
    for one in found:
        say(_line(one))
    if not found:
        say("no jobs; add one with: pk jobs add sweep")


@command.command()
@click.argument("job")
@as_json
def show(job: str, *, json_: bool) -> None:
    """Show JOB: where it runs, its result, and which workers lost it."""
    found = jobs.show_job(environment(), job)
    if json_:
        lost = LOST.each(found.lost_by)
        document({"job": JOB(found.row), "handedOver": lost}, "job/1")
        return
    say(_line(found.row))
    for line in _details(found.row):
        say(f"  {line}")
    for worker, at in found.lost_by:
        say(f"  taken from {worker} at {moment(at)}")


@command.command()
@click.argument("job")
def cancel(job: str) -> None:
    """Cancel JOB, waiting or running; what it has stored is kept."""
    say(_line(jobs.cancel_job(environment(), job)))


@command.command()
@click.argument("job")
def retry(job: str) -> None:
    """Run a failed or cancelled JOB again."""
    say(_line(jobs.retry_job(environment(), job)))


@command.command()
@click.option("--days", type=click.IntRange(min=1), default=30, show_default=True, metavar="N", help="Keep N days.")
def prune(*, days: int) -> None:
    """Delete jobs that ended long ago, and the records of their workers."""
    say(f"forgot {count(jobs.prune_jobs(environment(), days=days, now=datetime.now(UTC)), 'job')}")


@command.command()
@click.option("--at-once", type=click.IntRange(1, 1000), metavar="N", help="Jobs that one worker runs at a time.")
@click.option("--starts", metavar="N/SECONDS", help="Starts of all workers together in a period; 0 means unlimited.")
@as_json
def limits(*, at_once: int | None, starts: str | None, json_: bool) -> None:
    """Show or set how many jobs run at a time and how often they start; workers adapt at once."""
    rate = None if starts is None else _rate(starts)
    found = jobs.limit_jobs(
        environment(),
        lambda now: replace(
            now,
            at_once=now.at_once if at_once is None else at_once,
            starts=now.starts if rate is None else rate[0],
            seconds=now.seconds if rate is None else rate[1],
        ),
    )
    if json_:
        document(found, "job-limits/1")
        return
    pace = f"{count(found.starts, 'start')} in {found.seconds} s" if found.starts else "unlimited starts"
    say(f"{count(found.at_once, 'job')} of one worker at a time; {pace}")


@contextmanager
def _chosen(name: str) -> Iterator[Workspace]:
    """The repository of a job: the server's with that name, or the one around the current folder."""
    if not name:
        with workspace() as (opened, _):
            yield opened
        return
    with open_workspace(tree_of(name), notice=note) as opened:
        yield opened


def _rate(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,6})(?:/0*([1-9][0-9]{0,5}))?", text)
    if found is None:
        raise UsageError(f"{text!r} is not a rate; write it as N/SECONDS, such as 30/60, each below a million")
    return int(found[1]), int(found[2] or "60")


@command.command()
@click.argument("name")
@click.argument("kind", type=kind_option, metavar="KIND")
@click.argument("cron")
@repository_option
def schedule(name: str, kind: str, cron: str, *, repository: str) -> None:
    """Add a job of KIND for this repository at the times given by CRON; NAME identifies the schedule.

    CRON is five fields in UTC: '*/5 * * * *' means every 5 minutes.
    """
    with _chosen(repository) as opened:
        jobs.schedule_job(opened, name, cron, kind)
    say(f"{name}: {kind} at {cron}")


@command.command()
@click.argument("name")
def unschedule(name: str) -> None:
    """Delete the schedule NAME; jobs it has added stay."""
    jobs.unschedule_job(environment(), name)


@command.command()
@as_json
def schedules(*, json_: bool) -> None:
    """List the schedules."""
    found = jobs.list_schedules(environment())
    if json_:
        document({"schedules": found}, "schedules/1")
        return
    for one in found:
        say(f"{bold(one.name)}  {one.kind}  {one.cron}  {dim(one.place)}")
    if not found:
        say("no schedules; create one with: pk jobs schedule ticks tick '* * * * *'")


@command.command("workers")
@click.option("--all", "all_of_them", is_flag=True, help="Also those that ended or were lost.")
@as_json
def workers_command(*, all_of_them: bool, json_: bool) -> None:
    """List live workers and when each was last heard from."""
    found = jobs.list_workers(environment(), all_of_them=all_of_them)
    if json_:
        document({"workers": found}, "workers/1")
        return
    for one in found:
        say(f"{bold(one.id)}  {one.state}  version {one.version}  heard of {one.silent / 1000:.0f} s ago")
    if not found:
        say("no worker is running; start one with: pk worker")


def _line(row: JobRow) -> str:
    took = f"  {(row.ended - row.began) / 1000:.1f} s" if row.ended and row.began else ""
    state = "done, with findings" if row.result.get("exit") == 1 else row.state
    about = f"  {' '.join(row.job.files)}" if row.job.files else ""
    return f"{bold(row.id)}  {state}{took}{about}  {row.job.commit[:12]}  {dim(row.job.place)}"


def _details(row: JobRow) -> Iterator[str]:
    yield f"added {moment(row.added)}"
    if row.began:
        yield f"began {moment(row.began)} on {row.worker}"
    if row.ended:
        yield f"ended {moment(row.ended)}"
    if row.result:
        yield f"exit code {row.result.get('exit', 0)}"
    if row.error:
        yield from (f"failed: {line}" for line in row.error.splitlines())


@click.command()
@click.option(
    "--silence",
    type=click.FloatRange(min=1),
    default=SILENCE,
    show_default=True,
    metavar="SECONDS",
    help="Give a worker's jobs to others after this much silence.",
)
@click.option(
    "--drain",
    type=click.IntRange(min=0),
    default=int(DRAIN),
    show_default=True,
    metavar="SECONDS",
    help="When stopped, wait this long for running jobs; other workers take the rest.",
)
@click.option("--metrics", metavar="[HOST:]PORT", help="Serve Prometheus metrics here.")
def worker_command(*, silence: float, drain: int, metrics: str | None) -> None:
    """Run jobs from the queue, each in its own process, until SIGTERM or Ctrl-C.

    PACTKEEPER_DATABASE_URL must point to Postgres. Start as many workers as you like, on any number of hosts; jobs of
    one repository still run one at a time. docs/workers.md explains what happens when a worker, a host or Postgres
    dies.
    """
    ended = threading.Event()
    for one in SIGNALS:
        signal.signal(one, lambda *_: ended.set())
    request = WorkRequest(silence, float(drain), None if metrics is None else _place(metrics))
    ending = jobs.work_on_jobs(environment(), request, ended, tell=note)
    if ending == "newer":
        raise StaleError("a newer Pactkeeper has changed the database; restart this worker with that version")


def _place(text: str) -> tuple[str, int]:
    from pactkeeper.verbs.listening import Address  # noqa: PLC0415 - most workers do not listen

    found = Address.of(text)
    return found.host, found.port
