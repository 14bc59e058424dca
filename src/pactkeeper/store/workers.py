"""Workers and their heartbeats, by the database's clock, and taking over jobs from silent workers.

The jobs themselves are rows of the queue library (DBOS 3.4, schema `dbos`), which are only read here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, literal_column, select, text, update
from sqlalchemy.dialects.postgresql import insert

from pactkeeper.store.database import REVISIONS, Database, stored_revision
from pactkeeper.store.history import upsert
from pactkeeper.store.owner import job_session
from pactkeeper.store.tables.team import JOB_HANDOVERS, JOB_RECEIPTS, JOB_TURNS, WORKERS

WorkerState = Literal["working", "draining", "ended", "lost"]
ALIVE: Final = ("working", "draining")

_NOW: Final[ColumnElement[int]] = literal_column("CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)")
_ALONE: Final = text("SELECT pg_try_advisory_xact_lock(8101820413)")  # arbitrary, but used by no other lock
# A process that freezes or loses its network within a transaction would block all others.
_SHORT: Final = text("SET LOCAL idle_in_transaction_session_timeout = '5s'")
_OWNED: Final = text(
    "SELECT workflow_uuid, owner_xid FROM dbos.workflow_status "
    "WHERE executor_id = :worker AND status = 'PENDING' AND owner_xid IS NOT NULL"
)
_ORPHANED: Final = text(
    "SELECT workflow_uuid AS job, queue_name AS queue, executor_id AS worker, owner_xid AS token "
    "FROM dbos.workflow_status WHERE status = 'PENDING' AND executor_id IS NOT NULL AND (executor_id NOT IN "
    "(SELECT id FROM workers WHERE state IN ('working', 'draining')) OR owner_xid IN :dropped) ORDER BY created_at"
).bindparams(bindparam("dropped", expanding=True))
_ONE_BY_ONE: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:subject, 8101820413))")
_OTHERS_TURN: Final = text(
    "SELECT 1 FROM job_turns AS turn JOIN dbos.workflow_status AS one "
    "ON one.workflow_uuid = turn.job AND one.owner_xid = turn.token AND one.status = 'PENDING' "
    "WHERE turn.subject = :subject AND turn.job <> :job"
)
_COUNTED: Final = text(
    "SELECT status, count(*) AS jobs FROM dbos.workflow_status "
    "WHERE queue_name = 'pactkeeper' AND status IN ('ENQUEUED', 'PENDING') GROUP BY status"
)
_END_SESSIONS: Final = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN :names")


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that runs jobs; times are milliseconds since 1970 on the database's clock."""

    id: str
    host: str
    process: int
    version: str
    state: WorkerState
    began: int
    beat: int
    silent: int = 0


@dataclass(frozen=True, slots=True)
class Beat:
    """What a worker learns from a heartbeat: the token of each of its jobs, and whether the schema changed.

    `newer` says that a newer version has migrated the tables, so this one can no longer write to them.
    """

    owned: Mapping[str, str]
    newer: bool


@dataclass(frozen=True, slots=True)
class Orphan:
    """A job whose worker is gone or dropped it; `times` counts how often that has happened, including this time."""

    job: str
    queue: str
    worker: str
    times: int


Resume = Callable[[Sequence[Orphan]], None]


def register(database: Database, worker: str, *, host: str, process: int, version: str) -> None:
    """Add a worker under a fresh id."""
    row = {"id": worker, "host": host, "process": process, "version": version, "state": "working"}
    database.execute(WORKERS.insert().values(**row, began=_NOW, beat=_NOW))


def beat(database: Database, worker: str) -> Beat | None:
    """Record a heartbeat; None if the worker was declared lost, so its jobs belong to others."""
    with database.begin() as connection:
        connection.execute(_SHORT)
        living = update(WORKERS).where(WORKERS.c.id == worker, WORKERS.c.state.in_(ALIVE)).values(beat=_NOW)
        if not connection.execute(living).rowcount:
            return None
        owned = connection.execute(_OWNED, {"worker": worker}).all()
        newer = stored_revision(connection) not in REVISIONS
    return Beat({row.workflow_uuid: row.owner_xid for row in owned}, newer)


def tell_state(database: Database, worker: str, state: WorkerState) -> None:
    """Record that a worker is draining or has ended; does nothing for a lost one."""
    database.execute(
        update(WORKERS).where(WORKERS.c.id == worker, WORKERS.c.state.in_(ALIVE)).values(state=state, beat=_NOW)
    )


def owner_token(database: Database, job: str, worker: str) -> str:
    """Return the token that lets a worker write for a job; empty if the job is not its own."""
    owned = {row.workflow_uuid: row.owner_xid for row in database.rows(_OWNED, {"worker": worker})}
    return str(owned.get(job, ""))


def take_turn(database: Database, subject: str, job: str, token: str) -> bool:
    """Whether it is this execution's turn at a subject; False while another job for it runs.

    The queue hands out one job per subject at a time, but two workers polling at the same moment, while a more urgent
    job arrives, may each get one.
    """
    mine = {"subject": subject, "job": job, "token": token}
    with database.begin() as connection:
        connection.execute(_SHORT)
        connection.execute(_ONE_BY_ONE, {"subject": subject})
        if connection.execute(_OTHERS_TURN, mine).first() is not None:
            return False
        upsert(connection, JOB_TURNS, [mine], key=("subject",))
    return True


def workers(database: Database, *, all_of_them: bool = False) -> tuple[Worker, ...]:
    """Return the living workers, oldest first, or every worker on record."""
    query = select(WORKERS, (_NOW - WORKERS.c.beat).label("silent")).order_by(WORKERS.c.began, WORKERS.c.id)
    if not all_of_them:
        query = query.where(WORKERS.c.state.in_(ALIVE))
    return tuple(Worker(*row) for row in database.rows(query))


def hand_over(database: Database, *, silence: float, resume: Resume, dropped: Sequence[str] = ()) -> tuple[Orphan, ...]:
    """Declare workers lost after `silence` seconds, and take over the jobs of all that are gone.

    `dropped` are tokens of the caller's own under which nothing runs; their jobs are taken as well, unless they have a
    new token by now. One process at a time does this; the others find nothing to do. The database sessions of the old
    executions are terminated first, so that one frozen within a transaction blocks nothing.
    """
    with database.begin() as connection:
        connection.execute(_SHORT)
        if not connection.execute(_ALONE).scalar():
            return ()
        late = WORKERS.c.beat < _NOW - int(silence * 1000)
        connection.execute(update(WORKERS).where(WORKERS.c.state.in_(ALIVE), late).values(state="lost"))
        rows = connection.execute(_ORPHANED, {"dropped": dropped or [""]}).all()
        if not rows:
            return ()
        names = [job_session(row.token) for row in rows if row.token]
        connection.execute(_END_SESSIONS.bindparams(bindparam("names", expanding=True)), {"names": names or [""]})
        connection.execute(
            insert(JOB_HANDOVERS).values([{"job": row.job, "worker": row.worker, "at": _NOW} for row in rows])
        )
        times = _times(connection, [row.job for row in rows])
        found = tuple(Orphan(row.job, row.queue, row.worker, times[row.job]) for row in rows)
        resume(found)
    return found


def _times(connection: Connection, jobs: Sequence[str]) -> Mapping[str, int]:
    counted = func.count().label("times")
    query = select(JOB_HANDOVERS.c.job, counted).where(JOB_HANDOVERS.c.job.in_(jobs)).group_by(JOB_HANDOVERS.c.job)
    return {row.job: row.times for row in connection.execute(query)}


def handovers(database: Database, job: str) -> tuple[tuple[str, int], ...]:
    """Return the workers that lost a job, each with the time it was taken from them."""
    query = select(JOB_HANDOVERS.c.worker, JOB_HANDOVERS.c.at).where(JOB_HANDOVERS.c.job == job)
    return tuple((row.worker, row.at) for row in database.rows(query.order_by(JOB_HANDOVERS.c.number)))


def forget_work(database: Database, jobs: Sequence[str], *, before: int) -> None:
    """Delete the records of these jobs, and of workers gone before a time."""
    with database.begin() as connection:
        connection.execute(delete(JOB_HANDOVERS).where(JOB_HANDOVERS.c.job.in_(jobs)))
        connection.execute(delete(JOB_RECEIPTS).where(JOB_RECEIPTS.c.job.in_(jobs)))
        connection.execute(delete(WORKERS).where(WORKERS.c.state.notin_(ALIVE), WORKERS.c.beat < before))


def queue_size(database: Database) -> Mapping[str, int]:
    """Return how many jobs are waiting and running, and how many workers are alive."""
    with database.read() as connection:
        found = {row.status: row.jobs for row in connection.execute(_COUNTED)}
        alive = connection.execute(select(func.count()).where(WORKERS.c.state.in_(ALIVE))).scalar()
    return {"waiting": found.get("ENQUEUED", 0), "running": found.get("PENDING", 0), "workers": alive or 0}


def queue_exists(database: Database) -> bool:
    """Whether the queue is completely set up: its row is inserted after the last of its tables."""
    with database.read() as connection:
        if connection.execute(text("SELECT to_regclass('dbos.queues')")).scalar() is None:
            return False
        return connection.execute(text("SELECT EXISTS (SELECT FROM dbos.queues)")).scalar_one() is True
