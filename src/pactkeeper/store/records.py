"""What runs recorded about each test, stored as it arrives; the next run compares with the newest.

Also the trace of a run: each visit of a node, with its duration and counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import Row, func, literal, select

from pactkeeper.intent.records import TestRecord
from pactkeeper.ledger.canonical import TraceEvent
from pactkeeper.store.columns import key_of
from pactkeeper.store.history import History, chunks, upsert
from pactkeeper.store.runs import number_of
from pactkeeper.store.tables import RUNS, TEST_RECORDS, TRACE

_FIELDS: Final = tuple(field.name for field in fields(TestRecord) if field.name != "run")
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
                yield {**_row(record), "run": numbers[record.run]}

        upsert(connection, TEST_RECORDS, rows(), key=("run", "test_key"))


def records_of(history: History, run: str) -> Iterator[TestRecord]:
    """Yield the records of a run by test id, page by page.

    No transaction is open between pages, so records may be saved meanwhile. Raises InputError for an unknown run.
    """
    columns = TEST_RECORDS.c
    with history.database.read() as connection:
        wanted = columns.run == number_of(connection, history, run)
        keys = connection.execute(select(columns.test_key).where(wanted).order_by(columns.test_id)).scalars().all()
    query = select(*(columns[name] for name in _FIELDS)).where(wanted).order_by(columns.test_id)
    for page in chunks(keys):
        with history.database.read() as connection:
            rows = connection.execute(query.where(columns.test_key.in_(page))).all()
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
    shown = (literal("").label(name) if name == "inference" else table.c[name] for name in _FIELDS)
    query = (
        select(RUNS.c.id.label("run_id"), *shown)
        .join(newest, (newest.c.test_key == table.c.test_key) & (newest.c.run == table.c.run))
        .join(RUNS, RUNS.c.number == table.c.run)
        .order_by(table.c.test_id)
    )
    with history.database.read() as connection:
        return {row.test_id: _record(row.run_id, row) for row in connection.execute(query)}


def _row(record: TestRecord) -> dict[str, Any]:
    return {"test_key": key_of(record.test_id), **{name: getattr(record, name) for name in _FIELDS}}


def _record(run: str, row: Row[Any]) -> TestRecord:
    return TestRecord(run=run, **{name: getattr(row, name) for name in _FIELDS})


def add_event(history: History, event: TraceEvent) -> None:
    """Store one event; a later one with the same run and sequence replaces it, as the node was visited again.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        row = {
            "run": number_of(connection, history, event.run),
            "sequence": event.sequence,
            "node": event.node,
            "at": event.at,
            "milliseconds": event.milliseconds,
            "counts": event.counts,
            "note": event.note,
        }
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
    with history.database.read() as connection:
        return tuple(TraceEvent(run, *row) for row in connection.execute(query))
