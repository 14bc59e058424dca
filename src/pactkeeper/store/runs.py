"""Runs, from their start to a final state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, Update, bindparam, func, literal, select, update

from pactkeeper.errors import InputError, StaleError
from pactkeeper.intent.records import TestRecord
from pactkeeper.ledger.canonical import RUN_STEPS, Run, RunStatus, TraceEvent
from pactkeeper.ledger.model import KeptAnswer, ModelCall
from pactkeeper.store.columns import instant, key_of, row_of
from pactkeeper.store.history import OWN, History, chunks, insert, upsert
from pactkeeper.store.tables.runs import MODEL_ANSWERS, MODEL_CALLS, RUNS, TEST_RECORDS, TRACE

_FIELDS: Final = tuple(field.name for field in fields(Run))
_COLUMNS: Final = tuple(RUNS.c[name] for name in _FIELDS)
# Cancellation is requested by a process other than the running one.
_OTHERS: Final = frozenset({"repository", "id", "cancel_requested_by"})
_IS: Final = (RUNS.c.repository == OWN, RUNS.c.id == bindparam("own_id"))


def add_run(history: History, run: Run) -> None:
    """Add a run; idempotent.

    Raises InputError for a run of another repository, or if the id belongs to a different run.
    """
    _require_own(history, run)
    with history.database.begin() as connection:
        known = _find(connection, history, run.id)
        if known is None:
            connection.execute(RUNS.insert(), row_of(RUNS, run))
        elif known != run:
            raise InputError(f"there is a run {run.id!r} already; begin another under a new id")


def find_run(history: History, run: str) -> Run | None:
    """Return a run by id, or None."""
    with history.database.read() as connection:
        return _find(connection, history, run)


def list_runs(history: History, *, statuses: Collection[RunStatus] = (), limit: int | None = None) -> tuple[Run, ...]:
    """Return runs, newest first, optionally only in some statuses or at most `limit`."""
    query = select(*_COLUMNS).where(RUNS.c.repository == history.repository).order_by(RUNS.c.number.desc())
    if statuses:
        query = query.where(RUNS.c.status.in_(statuses))
    return tuple(_run(row) for row in history.database.rows(query.limit(limit)))


def update_run(history: History, run: Run) -> None:
    """Write a run's new state; idempotent, and a pending cancellation request is kept.

    A failed run that resumes starts without such a request. Raises InputError for an unknown run, and StaleError if
    `RUN_STEPS` has no transition from its current status.
    """
    _require_own(history, run)
    with history.database.begin() as connection:
        known = _find(connection, history, run.id, locking=True)
        if known is None:
            raise unknown_run(run.id)
        if replace(run, cancel_requested_by=known.cancel_requested_by) == known:
            return
        if run.status not in RUN_STEPS[known.status]:
            steps = ", ".join(sorted(RUN_STEPS[known.status])) or "nothing else"
            raise StaleError(
                f"run {run.id} is {known.status} by now and cannot become {run.status!r}, only: {steps}; "
                f"see what became of it with: pk runs show {run.id}"
            )
        changed = {name: value for name, value in row_of(RUNS, run).items() if name not in _OTHERS}
        if known.status == "failed":
            changed["cancel_requested_by"] = ""
        connection.execute(_changing(), history.given(own_id=run.id, **changed))


def request_cancel(history: History, run: str, by: str) -> None:
    """Request that a run end; the first requester is recorded, and an ended run is left alone.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        known = _find(connection, history, run, locking=True)
        if known is None:
            raise unknown_run(run)
        if known.status in {"running", "paused"} and not known.cancel_requested_by:
            connection.execute(_changing(), history.given(own_id=run, cancel_requested_by=by))


def cancel_requested(history: History, run: str) -> str:
    """Return who requested that this run end; empty if nobody did. Raises InputError for an unknown run."""
    found: str | None = history.database.scalar(_asking("cancel_requested_by"), history.given(own_id=run))
    if found is None:
        raise unknown_run(run)
    return found


def number_of(connection: Connection, history: History, run: str) -> int:
    """Return the row number of a run; raises InputError for an unknown one."""
    found: int | None = connection.execute(_asking("number"), history.given(own_id=run)).scalar()
    if found is None:
        raise unknown_run(run)
    return found


def unknown_run(run: str) -> InputError:
    """Return the error for a run that this repository's history lacks."""
    return InputError(f"the history has no run {run!r}; list its runs with: pk runs list")


def _find(connection: Connection, history: History, run: str, *, locking: bool = False) -> Run | None:
    row = connection.execute(_asking(*_FIELDS, locking=locking), history.given(own_id=run)).first()
    return None if row is None else _run(row)


@cache
def _asking(*columns: str, locking: bool = False) -> Select[Any]:
    query = select(*(RUNS.c[name] for name in columns)).where(*_IS)
    return query.with_for_update() if locking else query


@cache
def _changing() -> Update:
    return update(RUNS).where(*_IS)


def _run(row: Row[Any]) -> Run:
    return Run(**dict(zip(_FIELDS, row, strict=True)))


def _require_own(history: History, run: Run) -> None:
    if run.repository != history.repository:
        raise InputError(f"run {run.id!r} is of repository {run.repository!r}, this history of {history.repository!r}")


_CALL_FIELDS: Final = tuple(field.name for field in fields(ModelCall))
_c = MODEL_CALLS.c


def save_call(history: History, call: ModelCall) -> None:
    """Store one call; repeating it stores another. Raises InputError for a time without offset."""
    row = history.row(MODEL_CALLS, call, instant=instant(call.at), cached=int(call.cached))
    with history.database.begin() as connection:
        insert(connection, MODEL_CALLS, [row])


def calls_of(history: History, run: str) -> tuple[ModelCall, ...]:
    """Return the calls of a run in the order they ended."""
    return _found(history, _c.run == run)


def calls_since(history: History, moment: str) -> tuple[ModelCall, ...]:
    """Return the calls that ended at or after this time (ISO 8601 with offset), for any purpose."""
    return _found(history, _c.instant >= instant(moment))


def _found(history: History, condition: Any) -> tuple[ModelCall, ...]:  # noqa: ANN401 - a clause of SQLAlchemy
    query = select(*(_c[name] for name in _CALL_FIELDS)).where(_c.repository == history.repository, condition)
    with history.database.read() as connection:
        rows = connection.execute(query.order_by(_c.number)).mappings()
        return tuple(ModelCall(**{**row, "cached": bool(row["cached"])}) for row in rows)


_a = MODEL_ANSWERS.c


def keep_answer(history: History, answer: KeptAnswer) -> None:
    """Cache an answer; a later one from the same model and endpoint to the same prompt replaces it."""
    row = history.row(MODEL_ANSWERS, answer, prompt_key=answer.key)
    with history.database.begin() as connection:
        upsert(connection, MODEL_ANSWERS, [row], key=("repository", "prompt_key", "model", "endpoint"))


def kept_answers(history: History, keys: Iterable[str], *, model: str, endpoint: str) -> Mapping[str, KeptAnswer]:
    """Return this model's answers at this endpoint to the prompts with these keys, by key."""
    columns = (_a.prompt_key, _a.version, _a.model, _a.endpoint, _a.value, _a.at)
    query = select(*columns).where(_a.repository == history.repository, _a.model == model, _a.endpoint == endpoint)
    found: dict[str, KeptAnswer] = {}
    with history.database.read() as connection:
        for chunk in chunks(keys):
            rows = connection.execute(query.where(_a.prompt_key.in_(chunk)))
            found |= {row.prompt_key: KeptAnswer(*row) for row in rows}
    return found


_RECORD_FIELDS: Final = tuple(field.name for field in fields(TestRecord) if field.name != "run")
# What a later run may compare with: an aborted run did not see everything.
_SEEN: Final = ("paused", "completed")


def save_records(history: History, records: Iterable[TestRecord]) -> None:
    """Store records, all or none; a later one of the same run and test replaces the earlier one.

    Raises InputError for a record of an unknown run.
    """
    numbers: dict[str, int] = {}
    with history.database.begin() as connection:

        def rows() -> Iterator[dict[str, Any]]:
            for record in records:
                if record.run not in numbers:
                    numbers[record.run] = number_of(connection, history, record.run)
                key = key_of(record.test_id)
                yield row_of(TEST_RECORDS, record, test_key=key, run=numbers[record.run])

        upsert(connection, TEST_RECORDS, rows(), key=("run", "test_key"))


def records_of(history: History, run: str) -> Iterator[TestRecord]:
    """Yield the records of a run by test id, page by page.

    No transaction is open between pages, so records may be saved meanwhile. Raises InputError for an unknown run.
    """
    columns = TEST_RECORDS.c
    with history.database.read() as connection:
        wanted = columns.run == number_of(connection, history, run)
        keys = connection.execute(select(columns.test_key).where(wanted).order_by(columns.test_id)).scalars().all()
    query = select(*(columns[name] for name in _RECORD_FIELDS)).where(wanted).order_by(columns.test_id)
    for page in chunks(keys):
        rows = history.database.rows(query.where(columns.test_key.in_(page)))
        yield from (_record(run, row) for row in rows)


def previous_records(history: History) -> Mapping[str, TestRecord]:
    """Return every test's newest record across paused and completed runs, by test id; `inference` is left empty."""
    table = TEST_RECORDS
    newest = (
        select(table.c.test_key, func.max(table.c.run).label("run"))
        .join(RUNS, RUNS.c.number == table.c.run)
        .where(RUNS.c.repository == history.repository, RUNS.c.status.in_(_SEEN))
        .group_by(table.c.test_key)
        .subquery()
    )
    shown = (literal("").label(name) if name == "inference" else table.c[name] for name in _RECORD_FIELDS)
    query = (
        select(RUNS.c.id.label("run_id"), *shown)
        .join(newest, (newest.c.test_key == table.c.test_key) & (newest.c.run == table.c.run))
        .join(RUNS, RUNS.c.number == table.c.run)
        .order_by(table.c.test_id)
    )
    return {row.test_id: _record(row.run_id, row) for row in history.database.rows(query)}


def _record(run: str, row: Row[Any]) -> TestRecord:
    return TestRecord(run=run, **{name: getattr(row, name) for name in _RECORD_FIELDS})


def add_event(history: History, event: TraceEvent) -> None:
    """Store one event; a later one with the same run and sequence replaces it, as the node was visited again.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        row = row_of(TRACE, event, run=number_of(connection, history, event.run))
        upsert(connection, TRACE, [row], key=("run", "sequence"))


def trace_of(history: History, run: str) -> tuple[TraceEvent, ...]:
    """Return the events of a run in sequence; none for an unknown run."""
    t = TRACE.c
    query = (
        select(t.sequence, t.node, t.at, t.milliseconds, t.counts, t.note)
        .join(RUNS, RUNS.c.number == t.run)
        .where(RUNS.c.repository == history.repository, RUNS.c.id == run)
        .order_by(t.sequence)
    )
    return tuple(TraceEvent(run, *row) for row in history.database.rows(query))
