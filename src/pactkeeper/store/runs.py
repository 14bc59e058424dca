"""Runs: from their start to a state that is never left."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from sqlalchemy import Connection, Row, select, update

from pactkeeper.errors import InputError, StaleError
from pactkeeper.ledger.canonical import RUN_STEPS, Run, RunStatus
from pactkeeper.store.history import History
from pactkeeper.store.tables import RUNS

_FIELDS: Final = tuple(field.name for field in fields(Run))
_COLUMNS: Final = tuple(RUNS.c[name] for name in _FIELDS)
# Who asked for an end is written by another process than the one that runs.
_OTHERS: Final = frozenset({"repository", "id", "cancel_requested_by"})


def add_run(history: History, run: Run) -> None:
    """Begin a run; adding the same run again changes nothing.

    Raises InputError for a run of another repository, and where its id names a different run already.
    """
    _require_own(history, run)
    with history.database.begin() as connection:
        known = _find(connection, history, run.id)
        if known is None:
            connection.execute(RUNS.insert(), _row(run))
        elif known != run:
            raise InputError(f"there is a run {run.id!r} already; begin another under a new id")


def find_run(history: History, run: str) -> Run | None:
    """The run of that id; None where the history has none."""
    with history.database.read() as connection:
        return _find(connection, history, run)


def list_runs(history: History, *, statuses: Collection[RunStatus] = (), limit: int | None = None) -> tuple[Run, ...]:
    """Runs, newest first; all of them unless some statuses or a number are asked for."""
    query = select(*_COLUMNS).where(RUNS.c.repository == history.repository).order_by(RUNS.c.number.desc())
    if statuses:
        query = query.where(RUNS.c.status.in_(statuses))
    with history.database.read() as connection:
        return tuple(_run(row) for row in connection.execute(query.limit(limit)))


def update_run(history: History, run: Run) -> None:
    """Write what a run has become; the same again changes nothing, and a request to cancel it stays.

    A failed run that runs again starts without such a request. Raises InputError for an unknown run, and StaleError
    where `RUN_STEPS` has no step from the status it has by now.
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
        changed = {name: value for name, value in _row(run).items() if name not in _OTHERS}
        if known.status == "failed":
            changed["cancel_requested_by"] = ""
        connection.execute(update(RUNS).where(*_is(history, run.id)).values(changed))


def request_cancel(history: History, run: str, by: str) -> None:
    """Ask a run to end; the first who asks is remembered, and a run that has ended stays as it is.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        known = _find(connection, history, run, locking=True)
        if known is None:
            raise unknown_run(run)
        if known.status in {"running", "paused"} and not known.cancel_requested_by:
            connection.execute(update(RUNS).where(*_is(history, run)).values(cancel_requested_by=by))


def cancel_requested(history: History, run: str) -> str:
    """Who asked this run to end; empty where nobody did. Raises InputError for an unknown run."""
    query = select(RUNS.c.cancel_requested_by).where(*_is(history, run))
    with history.database.read() as connection:
        found: str | None = connection.execute(query).scalar()
    if found is None:
        raise unknown_run(run)
    return found


def number_of(connection: Connection, history: History, run: str) -> int:
    """The number under which other tables know a run; raises InputError for an unknown one."""
    found: int | None = connection.execute(select(RUNS.c.number).where(*_is(history, run))).scalar()
    if found is None:
        raise unknown_run(run)
    return found


def unknown_run(run: str) -> InputError:
    """The error for a run that this repository's history does not have."""
    return InputError(f"the history has no run {run!r}; list its runs with: pk runs list")


def _find(connection: Connection, history: History, run: str, *, locking: bool = False) -> Run | None:
    query = select(*_COLUMNS).where(*_is(history, run))
    row = connection.execute(query.with_for_update() if locking else query).first()
    return None if row is None else _run(row)


def _is(history: History, run: str) -> tuple[Any, ...]:
    return (RUNS.c.repository == history.repository, RUNS.c.id == run)


def _run(row: Row[Any]) -> Run:
    return Run(**dict(zip(_FIELDS, row, strict=True)))


def _row(run: Run) -> Mapping[str, Any]:
    return {name: getattr(run, name) for name in _FIELDS}


def _require_own(history: History, run: Run) -> None:
    if run.repository != history.repository:
        raise InputError(f"run {run.id!r} is of repository {run.repository!r}, this history of {history.repository!r}")
