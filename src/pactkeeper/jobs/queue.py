"""The durable queue: DBOS on Postgres, through its client. Only this module and `worker.py` use that library.

Jobs with the same subject run one after the other (a queue partition with a concurrency of one), those with different
subjects in parallel. A job's id is derived from its content, so adding it twice adds it once.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from croniter import CroniterError, croniter
from dbos import DBOS, ClientScheduleInput, DBOSClient, DBOSPortableJSONSerializer, WorkflowStatus
from dbos import error as dbos_error

from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.jobs.job import Job, JobRow, JobState, Schedule, kind_of
from pactkeeper.ledger.canonical import canonical_json
from pactkeeper.store.driver import Address, address, translated

APPLICATION, QUEUE = "pactkeeper", "pactkeeper"
WORKFLOW, DUE = "pactkeeper.job", "pactkeeper.due"
# Workers and those who add jobs must agree on this. It changes with the shape of a job, not with each release.
PROTOCOL: Final = "jobs-1"
MOST_HANDOVERS: Final = 5
MOST_BYTES: Final = 64 << 10  # of one job
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")

_CODES: Final[Mapping[JobState, list[str]]] = {
    "waiting": ["DELAYED", "ENQUEUED"],
    "running": ["PENDING"],
    "done": ["SUCCESS"],
    "failed": ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
    "cancelled": ["CANCELLED"],
}
_STATES: Final = {code: state for state, codes in _CODES.items() for code in codes}


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """Limits: jobs at once per worker, and starts per number of seconds across all workers (0: unlimited)."""

    at_once: int = 2
    starts: int = 0
    seconds: int = 60


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs to list: by state, by kind, by repository id; at most `limit`."""

    state: JobState | None = None
    kind: str = ""
    subject: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Queue:
    """The open queue."""

    client: DBOSClient
    address: Address

    def add(self, job: Job) -> bool:
        """Add a job; False if it was ever added before, whatever its state. Raises UsageError if it is too large."""
        kind = kind_of(job.kind)
        if (size := len(canonical_json(job.told()))) > MOST_BYTES:
            raise UsageError(f"a job has at most {MOST_BYTES:,} bytes, and this one {size:,}; name fewer files")
        with self._words():
            try:
                self.client.enqueue(
                    {
                        "workflow_name": WORKFLOW,
                        "queue_name": QUEUE,
                        "workflow_id": job.id,
                        "workflow_id_reuse_policy": "reject",
                        "queue_partition_key": job.subject,
                        "priority": kind.priority,
                        "workflow_timeout": float(kind.seconds),
                        "app_version": PROTOCOL,
                        "attributes": _about(job),
                    },
                    job.told(),
                )
            except dbos_error.DBOSWorkflowIDInUseError:
                return False
        return True

    def waits(self, job: Job) -> bool:
        """Whether a job of this kind is waiting for this repository, whatever its key."""
        with self._words():
            found = self.client.list_workflows(
                name=WORKFLOW, status=_CODES["waiting"], attributes=_about(job), limit=1, load_input=False
            )
        return bool(found)

    def jobs(self, wanted: JobFilter = JobFilter()) -> tuple[JobRow, ...]:
        """The jobs that match, newest first."""
        about = {"kind": wanted.kind, "subject": wanted.subject}
        with self._words():
            found = self.client.list_workflows(
                name=WORKFLOW,
                status=_CODES[wanted.state] if wanted.state else None,
                attributes={name: value for name, value in about.items() if value} or None,
                sort_desc=True,
                limit=wanted.limit,
            )
        return tuple(_row(one) for one in found)

    def job(self, name: str) -> JobRow:
        """A job by its id; raises InputError for one that the queue does not have."""
        with self._words():
            found = self.client.list_workflows(workflow_ids=[name], name=WORKFLOW)
        if not found:
            raise InputError(f"the queue has no job {name!r}; list its jobs with: pk jobs list")
        return _row(found[0])

    def cancel(self, name: str) -> JobRow:
        """Cancel a job that has not ended; its process loses the right to write and is killed."""
        found = self.job(name)
        if found.state not in {"waiting", "running"}:
            raise RefusedError(f"job {name!r} is {found.state}; only one that waits or runs can be cancelled")
        with self._words():
            self.client.cancel_workflow(name)
        return self.job(name)

    def retry(self, name: str) -> JobRow:
        """Run a failed or cancelled job again; what it already stored is not stored twice."""
        found = self.job(name)
        if found.state not in {"failed", "cancelled"}:
            raise RefusedError(f"job {name!r} is {found.state}; only one that failed or was cancelled can be retried")
        with self._words():
            self.client.rewind_workflow(
                name, application_version=PROTOCOL, queue_name=QUEUE, queue_partition_key=found.job.subject
            )
        return self.job(name)

    def resume(self, jobs: Sequence[str], queue: str) -> None:
        """Put back the jobs of a worker that is gone; a process still running one loses its token."""
        with self._words():
            self.client.resume_workflows(list(jobs), queue_name=queue)

    def give_up(self, jobs: Sequence[str]) -> None:
        """Cancel jobs that took down too many workers."""
        with self._words():
            self.client.cancel_workflows(list(jobs))

    def limit(self, limits: QueueLimits) -> None:
        """Set the limits; workers apply them within a second."""
        with self._words():
            self.client.register_queue(
                QUEUE,
                partition_concurrency=1,
                worker_concurrency=limits.at_once,
                limiter={"limit": limits.starts, "period": float(limits.seconds)} if limits.starts else None,
                polling_interval_sec=0.5,
                on_conflict="always_update",
                application_name=APPLICATION,
            )

    def limits(self) -> QueueLimits:
        """The current limits."""
        with self._words():
            found = self.client.retrieve_queue(QUEUE)
        if found is None:
            return QueueLimits()
        limiter = found.limiter
        at_once = found.worker_concurrency or 0
        return QueueLimits(at_once, limiter["limit"], int(limiter["period"])) if limiter else QueueLimits(at_once)

    def schedule(self, name: str, cron: str, job: Job) -> None:
        """Add a job at the times of a cron expression, replacing the schedule of that name; raises UsageError."""
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is not a valid schedule name; write letters, digits, '.', '_' and '-', at most 80"
            )
        wanted: ClientScheduleInput = {
            "schedule_name": name,
            "workflow_name": DUE,
            "schedule": cron,
            "context": job.told(),
            "application_name": APPLICATION,
        }
        with self._words():
            try:
                times = croniter(cron, datetime.now(UTC), second_at_beginning=True)
                times.get_next()  # a cron expression that never fires would end a worker's thread
                self.client.apply_schedules([wanted])
            except (CroniterError, dbos_error.DBOSException) as error:
                raise UsageError(f"{cron!r} is not a schedule: {error}; write it as in cron: '*/5 * * * *'") from None

    def unschedule(self, name: str) -> None:
        """Delete a schedule; raises InputError if it doesn't exist."""
        with self._words():
            if self.client.get_schedule(name) is None:
                raise InputError(f"there is no schedule {name!r}; list them with: pk jobs schedules")
            self.client.delete_schedule(name)

    def schedules(self) -> tuple[Schedule, ...]:
        """All schedules, by name."""
        with self._words():
            found = self.client.list_schedules()
        rows = (Schedule(one["schedule_name"], one["schedule"], *_context(one)) for one in found)
        return tuple(sorted(rows, key=lambda one: one.name))

    def forget(self, *, days: int, now: datetime) -> tuple[str, ...]:
        """Delete jobs that ended more than `days` days ago; returns their ids."""
        before = (now - timedelta(days=days)).isoformat()
        with self._words():
            found = self.client.list_workflows(completed_before=before, load_input=False, load_output=False)
            names = [one.workflow_id for one in found]
            if names:
                self.client.delete_workflows(names)
        return tuple(names)

    def _words(self) -> AbstractContextManager[None]:
        return translated(self.address)


def queue_url(text: str | None) -> Address:
    """The database of the queue; raises UsageError if the history is not on Postgres."""
    found = address(text) if text else None
    if found is None or found.path is not None:
        raise UsageError(
            "jobs need Postgres; set PACTKEEPER_DATABASE_URL to postgresql://user:password@host:5432/database "
            "(docs/workers.md has the first steps)"
        )
    return found


def plain_url(place: Address) -> str:
    """The URL in the form DBOS takes; it may hold a password."""
    return place.url.set(drivername="postgresql").render_as_string(hide_password=False)


@contextmanager
def open_queue(place: Address, *, made: bool) -> Iterator[Queue]:
    """Open the queue; creates its tables unless they are already `made`."""
    logging.getLogger("dbos").setLevel(logging.ERROR)
    with translated(place):
        if not made:
            DBOS.migrate(plain_url(place))
        client = DBOSClient(
            system_database_url=plain_url(place),
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
            system_database_pool_size=2,
        )
    try:
        queue = Queue(client, place)
        if not made:
            queue.limit(QueueLimits())
        yield queue
    finally:
        client.destroy()


def _about(job: Job) -> dict[str, str]:
    return {"kind": job.kind, "subject": job.subject}


def _context(schedule: Any) -> tuple[str, str, bool]:  # noqa: ANN401 - DBOS's own row
    told = schedule["context"] if isinstance(schedule["context"], dict) else {}
    return told.get("kind", ""), told.get("place", ""), schedule["status"] != "ACTIVE"


def _row(found: WorkflowStatus) -> JobRow:
    arguments = found.input["args"] if found.input else ()
    job = Job.of(arguments[0]) if arguments else Job("", "", "", "")
    return JobRow(
        found.workflow_id,
        job,
        _STATES[found.status],
        found.created_at or 0,
        found.dequeued_at or 0,
        found.completed_at or 0,
        found.executor_id or "",
        found.output if isinstance(found.output, dict) else {},
        str(found.error) if found.error else "",
    )


def job_due(told: Mapping[str, Any], at: str) -> Job:
    """The job of a schedule at one of its times."""
    job = Job.of(told)
    moment = datetime.fromisoformat(at).astimezone(UTC).isoformat(timespec="seconds")
    return replace(job, key=moment)
