"""Verbs about jobs: add, show, cancel, retry and schedule them, and work on them.

Also the verb behind webhooks: an event from a forge becomes a job for its repository.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

from pactkeeper import __version__
from pactkeeper.errors import MissingExtra, RefusedError, UsageError, how_to_install
from pactkeeper.forges.deliveries import Heard
from pactkeeper.jobs.job import COMMENT, FILES, HEAD, NUMBER, SINCE, Job, JobRow, JobState, Kind, Schedule, kind_of
from pactkeeper.operators.team import Team, folder_of, repository_of, tree_of
from pactkeeper.repo.fetching import is_url, place_of
from pactkeeper.store.database import Database, open_database
from pactkeeper.store.team import repositories
from pactkeeper.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from pactkeeper.jobs.queue import Queue, QueueLimits
    from pactkeeper.jobs.worker import Ending, Measures
    from pactkeeper.settings import Environment
    from pactkeeper.store.workers import Worker


SILENCE: Final = 15.0
DRAIN: Final = 60.0
PERSONAL: Final = "person"  # never a repository id: those say how the repository was found


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A job to add for the repository: at a commit, by default HEAD, compared with `since` if given.

    `occasion` distinguishes it from others at the same commit or for the same pull request.
    """

    kind: str
    commit: str = ""
    since: str = ""
    files: tuple[str, ...] = ()
    occasion: str = ""


@dataclass(frozen=True, slots=True)
class AddedJob:
    """A job in the queue; `new` says that it was not there before."""

    row: JobRow
    new: bool


@dataclass(frozen=True, slots=True)
class ShownJob:
    """A job with the workers that lost it, and when (milliseconds since 1970) it was taken from each."""

    row: JobRow
    lost_by: tuple[tuple[str, int], ...]


def add_job(workspace: Workspace, request: JobRequest) -> AddedJob:
    """Add a job; one of the same kind at the same commit is only added once, however it ended."""
    kind, repository = kind_of(request.kind), workspace.repository
    _require_files(kind, request.files)
    if request.since and SINCE not in kind.command:
        raise UsageError(f"a job of kind {kind.name!r} doesn't compare, but --since {request.since!r} was given")
    commit = repository.resolve(request.commit or HEAD)
    job = Job(
        kind.name,
        _subject(kind, workspace, request.files),
        str(repository.root),
        request.occasion if kind.takes and request.occasion else f"{commit} {request.occasion}".strip(),
        commit,
        request.since and repository.resolve(request.since),
        request.files,
        _open_span(workspace.surroundings),
        repository_of(workspace),
    )
    with _queue(workspace.surroundings) as (queue, _):
        new = queue.add(job)
        return AddedJob(queue.job(job.id), new)


def _open_span(surroundings: Environment) -> str:
    """Return the parent span for the job's own: the one open in this process, or the one it was started in."""
    from pactkeeper.flows.observing import open_span  # noqa: PLC0415 - most jobs are not observed

    return (surroundings.spans and open_span()) or surroundings.parent_span


def _subject(kind: Kind, workspace: Workspace, files: tuple[str, ...]) -> str:
    if kind.about == "repository":
        return workspace.identity
    team = workspace.surroundings.team
    return f"{kind.about} {files[0]}" if kind.takes else f"team {team}" if team else PERSONAL


def add_for_each(surroundings: Environment, kind: Literal["thread", "board"], names: Iterable[str]) -> tuple[str, ...]:
    """Add a job for each thread or board without a waiting one, in the place of this process's job; returns the ids."""
    now = datetime.now(UTC).isoformat()
    with _queue(surroundings) as (queue, _):
        own = replace(queue.job(surroundings.job.partition(" ")[0]).job, kind=kind, key=now, since="")
        trace = _open_span(surroundings)
        jobs = [replace(own, subject=f"{kind} {one}", files=(one,), trace=trace) for one in names]
        return tuple(one.id for one in jobs if not queue.waits(one) and queue.add(one))


def _require_files(kind: Kind, files: tuple[str, ...]) -> None:
    if kind.takes:
        wanted = " ".join(one.strip("{}").upper() for one in kind.takes)
        numbers = [file for one, file in zip(kind.takes, files, strict=False) if one in {NUMBER, COMMENT}]
        if len(files) != len(kind.takes) or not all(one.isascii() and one.isdigit() for one in numbers):
            raise UsageError(f"a job of kind {kind.name!r} needs {wanted} and got {' '.join(files)!r}")
    elif files and FILES not in kind.command:
        raise UsageError(f"a job of kind {kind.name!r} takes no files, but {files[0]!r} was given")
    elif not files and FILES in kind.command:
        raise UsageError(f"a job of kind {kind.name!r} needs files: the reports of the test run")


def list_jobs(
    surroundings: Environment, *, state: JobState | None = None, kind: str = "", subject: str = "", limit: int = 50
) -> tuple[JobRow, ...]:
    """List the jobs of all repositories, or of the one with the id `subject`, newest first."""
    with _queue(surroundings) as (queue, _):
        from pactkeeper.jobs.queue import JobFilter  # noqa: PLC0415 - an extra

        return queue.jobs(JobFilter(state, kind, subject, limit))


def show_job(surroundings: Environment, name: str) -> ShownJob:
    """Return one job, with its result and the workers that lost it."""
    from pactkeeper.store.workers import handovers  # noqa: PLC0415 - SQL

    with _queue(surroundings) as (queue, database):
        return ShownJob(queue.job(name), handovers(database, name))


def cancel_job(surroundings: Environment, name: str) -> JobRow:
    """Cancel a waiting or running job."""
    with _queue(surroundings) as (queue, _):
        return queue.cancel(name)


def retry_job(surroundings: Environment, name: str) -> JobRow:
    """Run a failed or cancelled job again."""
    with _queue(surroundings) as (queue, _):
        return queue.retry(name)


def prune_jobs(surroundings: Environment, *, days: int, now: datetime) -> int:
    """Delete jobs that ended more than `days` ago, and workers gone before that; returns the number of jobs."""
    from pactkeeper.store.workers import forget_work  # noqa: PLC0415 - SQL

    with _queue(surroundings) as (queue, database):
        names = queue.forget(days=days, now=now)
        forget_work(database, names, before=int((now.timestamp() - days * 86_400) * 1000))
    return len(names)


def schedule_job(workspace: Workspace, name: str, cron: str, kind: str) -> None:
    """Add a job of this kind for the repository on a cron schedule (UTC), each time at its current HEAD."""
    found = kind_of(kind)
    _require_files(found, ())
    root, name_here = str(workspace.repository.root), repository_of(workspace)
    job = Job(found.name, _subject(found, workspace, ()), root, "", HEAD, repository=name_here)
    with _queue(workspace.surroundings) as (queue, _):
        queue.schedule(name, cron, job)


def unschedule_job(surroundings: Environment, name: str) -> None:
    """Remove a schedule; jobs it has added stay."""
    with _queue(surroundings) as (queue, _):
        queue.unschedule(name)


def list_schedules(surroundings: Environment) -> tuple[Schedule, ...]:
    """List the schedules of all repositories, by name."""
    with _queue(surroundings) as (queue, _):
        return queue.schedules()


def limit_jobs(surroundings: Environment, change: Callable[[QueueLimits], QueueLimits]) -> QueueLimits:
    """Change how many jobs run at once, or how often they start; returns the resulting limits."""
    with _queue(surroundings) as (queue, _):
        before = queue.limits()
        after = change(before)
        if after != before:
            queue.limit(after)
        return after


def list_workers(surroundings: Environment, *, all_of_them: bool = False) -> tuple[Worker, ...]:
    """List the active workers, or all known ones."""
    from pactkeeper.store.workers import workers  # noqa: PLC0415 - SQL

    with _queue(surroundings) as (_, database):
        return workers(database, all_of_them=all_of_them)


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """How to work: a worker's jobs are handed over after `silence` seconds; it stops within `drain` seconds.

    `metrics` is the host and port on which to serve Prometheus, or None.
    """

    silence: float = SILENCE
    drain: float = DRAIN
    metrics: tuple[str, int] | None = None


def work_on_jobs(
    surroundings: Environment, request: WorkRequest, ended: threading.Event, *, tell: Callable[[str], None]
) -> Ending:
    """Run jobs until told to stop, or until a newer version changed the database."""
    if surroundings.job:
        raise RefusedError("a worker cannot be started from a job; start it separately")
    with _queue(surroundings) as (queue, database):
        from pactkeeper.jobs.worker import Manner, work  # noqa: PLC0415 - loads the queue's library

        manner = Manner(request.silence, request.drain, folder_of, __version__, tell)
        if request.metrics is not None:
            manner = replace(manner, count=_measures(database, request.metrics).count)
        return work(database, queue, manner, ended)


def _measures(database: Database, place: tuple[str, int]) -> Measures:
    try:
        from pactkeeper.jobs.worker import Measures  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if error.name != "prometheus_client":
            raise
        raise MissingExtra(f"metrics are not installed: {how_to_install('workers')}") from error
    from pactkeeper.store.workers import queue_size  # noqa: PLC0415 - SQL

    measures = Measures(lambda: queue_size(database))
    measures.serve(*place)
    return measures


@contextmanager
def _queue(surroundings: Environment) -> Iterator[tuple[Queue, Database]]:
    """Open the queue and its database; raises UsageError without Postgres, and MissingExtra."""
    try:
        from pactkeeper.jobs.queue import open_queue, queue_url  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("pactkeeper"):
            raise
        raise MissingExtra(f"the queue is not installed: {how_to_install('workers')}") from error
    from pactkeeper.store.workers import queue_exists  # noqa: PLC0415 - SQL

    place = queue_url(surroundings.database_url)
    database = open_database(surroundings.database_url or "")
    try:
        with open_queue(place, made=queue_exists(database)) as queue:
            yield queue, database
    finally:
        database.close()


AGAIN = ("failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Received:
    """The outcome of an event: its job, or why there is none; `new` says that the job was not there before."""

    job: str = ""
    new: bool = False
    why: str = ""


def receive_event(team: Team, heard: Heard, *, notice: Callable[[str], None]) -> Received:
    """Add the job for an event; a failed one is run again. Raises UsageError for an unknown repository.

    Proposals are only made to repositories with a schedule for them, so that nobody gets an unwanted pull request.
    """
    name = _registered(team, heard)
    with (
        open_workspace(tree_of(name), notice=notice) as opened,
        opened.watching().stretch(f"webhook {heard.kind}", {"repository": name}),
    ):
        if heard.kind == "propose" and not _proposes(opened):
            return Received(why="no schedule proposes to this repository: pk jobs schedule NAME propose CRON")
        found = add_job(opened, JobRequest(heard.kind, files=heard.takes, occasion=heard.occasion))
        if not found.new and found.row.state in AGAIN:
            retry_job(opened.surroundings, found.row.id)
        return Received(found.row.id, found.new)


def _registered(team: Team, heard: Heard) -> str:
    places = {place_of(url) for url in heard.urls}
    for one in repositories(team.database):
        if is_url(one.place) and place_of(one.place) in places:
            return one.name
    raise UsageError(f"this server fetches nothing from {heard.urls[:1]!r}; pk repos add NAME URL")


def _proposes(opened: Workspace) -> bool:
    kinds = {(one.kind, one.place) for one in list_schedules(opened.surroundings) if not one.paused}
    return ("propose", str(opened.repository.root)) in kinds
