"""Sweeps with their verdicts, findings over time, and fix tasks; the output of checks is not stored.

Also receipts of what a job stored, written in the same transaction so that it is never stored twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Integer, Row, Select, Table, delete, func, select, update

from pactkeeper.errors import InputError, RefusedError
from pactkeeper.intent.health import (
    CLAIMABLE,
    CheckResult,
    Diagnostic,
    FixStatus,
    FixTask,
    HealthFinding,
    HealthState,
    Sweep,
)
from pactkeeper.ledger.canonical import JsonValue, by_key, fields_of, from_fields
from pactkeeper.store.columns import from_row, row_of
from pactkeeper.store.database import Database
from pactkeeper.store.history import History, insert, insert_new, upsert
from pactkeeper.store.tables.runs import FIX_TASKS, HEALTH_FINDINGS, SWEEP_RESULTS, SWEEPS
from pactkeeper.store.tables.team import JOB_RECEIPTS

SWEEPS_KEPT: Final = 600  # sweeps with their verdicts; two days at one every five minutes
_TESTS_KEPT: Final = 20  # failed tests of a check that stay with its verdict
_JUDGED_KEPT: Final = 50  # commits searched for the last one at which a check passed
RESOLVED_KEPT: Final = 1000  # resolved findings, and closed tasks
RESOLVED_TEXT: Final = 4 << 20  # characters, for each of these
_CLOSED: Final[tuple[FixStatus, ...]] = ("done", "obsolete")
JUDGED: Final = ("pass", "fail")

_w, _r, _h, _t = SWEEPS.c, SWEEP_RESULTS.c, HEALTH_FINDINGS.c, FIX_TASKS.c
Change = tuple[FixTask, FixTask]  # a task as read, and as it should become


def save_sweep(
    history: History,
    sweep: Sweep,
    *,
    findings: Iterable[HealthFinding] = (),
    tasks: Iterable[FixTask] = (),
    changes: Iterable[Change] = (),
) -> None:
    """Store a sweep and everything that follows from it, all or none; idempotent.

    A task that was changed by others since it was read is left alone.
    """
    with history.database.begin() as connection:
        if connection.execute(_named(history, sweep.id)).first() is not None:
            return
        _add_sweep(connection, history, sweep)
        upsert(
            connection,
            HEALTH_FINDINGS,
            (_finding_row(history, one) for one in findings),
            key=("repository", "fingerprint"),
        )
        insert_new(connection, FIX_TASKS, (history.row(FIX_TASKS, one, text=fields_of(one)) for one in tasks))
        for before, after in changes:
            _swap(connection, history, before, after)
        _prune(connection, history)
        leave_receipt(connection, history.database, {"exit": 0 if sweep.green else 1, "sweep": sweep.id})


def sweeps(history: History, *, limit: int = 20) -> tuple[Sweep, ...]:
    """Return the latest sweeps, newest first, with verdicts but without output, diagnostics or notes.

    The reason of a failed check is the names of the tests that failed, as far as they are known.
    """
    query = select(SWEEPS).where(_w.repository == history.repository).order_by(_w.number.desc()).limit(limit)
    with history.database.read() as connection:
        rows = connection.execute(query).all()
        wanted = select(SWEEP_RESULTS).where(_r.sweep.in_([row.number for row in rows]))
        found = connection.execute(wanted.order_by(_r.sweep, _r.position))
        results = by_key((one.sweep, from_row(CheckResult, one, check=one.check_name)) for one in found)
    return tuple(_sweep(row, results.get(row.number, [])) for row in rows)


def sweep_order(history: History) -> Mapping[str, int]:
    """Return the position of every sweep by id; later sweeps have greater ones."""
    query = select(_w.id, _w.number).where(_w.repository == history.repository)
    return {row.id: row.number for row in history.database.rows(query)}


def sweep_commit(history: History, name: str) -> str:
    """Return the commit of a sweep by id; empty if unknown."""
    query = select(_w.commit).where(_w.repository == history.repository, _w.id == name)
    return history.database.scalar(query) or ""


def judged_before(history: History, check: str, sweep: str) -> Sequence[str]:
    """Return commits of earlier, non-stale sweeps with a verdict of a check, newest first, at most 50."""
    place = select(_w.number).where(_w.repository == history.repository, _w.id == sweep).scalar_subquery()
    query = (
        select(_w.commit)
        .join(SWEEP_RESULTS, _r.sweep == _w.number)
        .where(_w.repository == history.repository, _w.number < place, _w.stale == 0, _w.infrastructure == "")
        .where(_r.check_name == check, _r.verdict.in_(JUDGED))
        .order_by(_w.number.desc())
        .limit(_JUDGED_KEPT)
    )
    return list(history.database.scalars(query))


def health_findings(history: History, states: Collection[HealthState] | None = None) -> tuple[HealthFinding, ...]:
    """Return every failure found by sweeps, or those in some states, in the order of first sighting."""
    query = select(_h.text).where(_h.repository == history.repository).order_by(_h.number)
    if states is not None:
        query = query.where(_h.state.in_(list(states)))
    return tuple(_read_finding(text) for text in history.database.scalars(query))


def fix_tasks(history: History, statuses: Collection[FixStatus] | None = None) -> tuple[FixTask, ...]:
    """Return every task, or those in some statuses, oldest first."""
    query = select(_t.text).where(_t.repository == history.repository).order_by(_t.number)
    if statuses is not None:
        query = query.where(_t.status.in_(list(statuses)))
    return tuple(from_fields(FixTask, text) for text in history.database.scalars(query))


def fix_task(history: History, name: str) -> FixTask:
    """Return a task by id; raises InputError if there is none."""
    query = select(_t.text).where(_t.repository == history.repository, _t.id == name)
    found = history.database.scalar(query)
    if found is None:
        raise InputError(f"the history has no fix task {name!r}; see what there is with: pk fixes")
    return from_fields(FixTask, found)


def change_fix_task(history: History, before: FixTask, after: FixTask) -> bool:
    """Replace a task as it was read; return False if it has been changed since."""
    with history.database.begin() as connection:
        return _swap(connection, history, before, after)


def claim_fix_task(history: History, name: str, *, by: str, at: str) -> FixTask:
    """Assign a waiting task to one claimant; of several concurrent claims only one succeeds.

    Raises InputError for an unknown task and RefusedError for one that is not waiting.
    """
    task = fix_task(history, name)
    if task.status in CLAIMABLE:
        claimed = replace(task, status="assigned", claimed_by=by, claimed_at=at)
        if change_fix_task(history, task, claimed):
            return claimed
        task = fix_task(history, name)
    holder = f" by {task.claimed_by}" if task.claimed_by else ""
    raise RefusedError(f"{name} is {task.status}{holder}; claim another one that waits: pk fixes")


def _named(history: History, name: str) -> Select[Any]:
    return select(_w.number).where(_w.repository == history.repository, _w.id == name)


def _add_sweep(connection: Connection, history: History, sweep: Sweep) -> None:
    insert(connection, SWEEPS, [history.row(SWEEPS, sweep, stale=int(sweep.stale))])
    number = connection.execute(_named(history, sweep.id)).scalar_one()
    insert(connection, SWEEP_RESULTS, (_result_row(number, *one) for one in enumerate(sweep.results)))


def _result_row(sweep: int, position: int, result: CheckResult) -> Mapping[str, Any]:
    failed = dict.fromkeys(one.test for one in result.diagnostics if one.test and one.severity == "error")
    named = replace(result, reason=result.reason or ", ".join(islice(failed, _TESTS_KEPT)))
    return row_of(SWEEP_RESULTS, named, sweep=sweep, position=position, check_name=result.check)


def _sweep(row: Row[Any], results: Sequence[CheckResult]) -> Sweep:
    return from_row(Sweep, row, results=tuple(results), stale=bool(row.stale), only=row.only or ())


def _finding_row(history: History, finding: HealthFinding) -> Mapping[str, Any]:
    name = finding.diagnostic.fingerprint
    return history.row(HEALTH_FINDINGS, finding, fingerprint=name, text=fields_of(finding))


def _swap(connection: Connection, history: History, before: FixTask, after: FixTask) -> bool:
    same = (_t.repository == history.repository, _t.id == before.id, _t.text == fields_of(before))
    change = update(FIX_TASKS).where(*same).values(status=after.status, text=fields_of(after))
    return bool(connection.execute(change).rowcount)


def _prune(connection: Connection, history: History) -> None:
    own = select(_w.number).where(_w.repository == history.repository).order_by(_w.number.desc())
    forgotten = connection.execute(own.offset(SWEEPS_KEPT).limit(1)).scalar() or 0
    gone = (_w.repository == history.repository, _w.number <= forgotten)
    connection.execute(delete(SWEEP_RESULTS).where(_r.sweep.in_(select(_w.number).where(*gone))))
    connection.execute(delete(SWEEPS).where(*gone))
    _prune_closed(connection, FIX_TASKS, (_t.repository == history.repository, _t.status.in_(_CLOSED)))
    _prune_closed(connection, HEALTH_FINDINGS, (_h.repository == history.repository, _h.state == "resolved"))


def _prune_closed(connection: Connection, table: Table, closed: tuple[ColumnElement[bool], ...]) -> None:
    number = table.c.number
    sizes = select(number, func.length(table.c.text, type_=Integer)).where(*closed).order_by(number.desc())
    connection.execute(delete(table).where(*closed, number <= _beyond(connection, sizes, RESOLVED_KEPT, RESOLVED_TEXT)))


def _beyond(connection: Connection, sizes: Select[Any], most: int, characters: int) -> int:
    """Return the newest row number at which the count or total size is exceeded, from the newest on; 0 if none."""
    total = 0
    for place, (number, size) in enumerate(connection.execute(sizes)):
        total += size
        if place and (place >= most or total > characters):
            return int(number)
    return 0


def leave_receipt(connection: Connection, database: Database, said: Mapping[str, JsonValue]) -> None:
    """Record that this process's job has done its work; does nothing if it runs no job."""
    if database.fence is not None and database.address.path is None:
        insert_new(connection, JOB_RECEIPTS, [{"job": database.fence.job, "said": dict(said)}])


def receipt_of(database: Database, job: str) -> Mapping[str, Any] | None:
    """Return the receipt of a job; None if it has not got that far or needs none."""
    found: Mapping[str, Any] | None = database.scalar(select(JOB_RECEIPTS.c.said).where(JOB_RECEIPTS.c.job == job))
    return found


def _read_finding(value: Mapping[str, Any]) -> HealthFinding:
    return from_fields(HealthFinding, {**value, "diagnostic": from_fields(Diagnostic, value["diagnostic"])})
