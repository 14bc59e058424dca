"""Decisions: only ever added to; the latest on an op is the one that holds, and it may take the earlier ones back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Row, func, select

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.decision import Decision
from pactkeeper.store.bulk import chunks, insert
from pactkeeper.store.history import History
from pactkeeper.store.patches import patch_number
from pactkeeper.store.tables import DECISIONS, OPS

WITHDRAWN: Final = "withdraw"  # stands where a verdict would: the op is open again
_d = DECISIONS.c
_FIELDS: Final[tuple[Column[Any], ...]] = (
    _d.op,
    _d.shown_hash,
    _d.verdict,
    _d.decided_by,
    _d.decided_at,
    _d.actor,
    _d.assurance,
    _d.reason,
    _d.edited,
)


@contextmanager
def deciding(history: History) -> Iterator[None]:
    """Inside, nobody else decides anything in this repository, in whichever process.

    What is looked at first and what is saved then are one act; it is kept or not as `Database.begin` says.
    """
    with history.database.begin() as connection:
        if connection.dialect.name == "postgresql":
            name = digest(["decisions", history.repository])
            connection.execute(select(func.pg_advisory_xact_lock(int(name[-15:], 16))))
        yield


def save_decisions(history: History, patch: str, decisions: Iterable[Decision]) -> None:
    """Store decisions on ops of a patch, all or none; a later one on an op replaces the earlier, which is kept.

    One that says what holds already is not stored again. Raises InputError for an unknown patch, and naming each
    decision that is on no op of it.
    """
    given = tuple(decisions)
    with history.database.begin() as connection:
        number = patch_number(connection, history, patch)
        _require_ops(connection, number, patch, given)
        held = _held(connection, number)
        rows = []
        for one in given:
            if held.get(one.op) != one:
                rows.append({"patch": number, **_row(one)})
                held[one.op] = one
        insert(connection, DECISIONS, rows)


def withdraw_decisions(history: History, patch: str, ops: Iterable[str], *, by: str, at: str) -> None:
    """Take back what was decided on these ops: they wait again, and what was said stays in the history.

    An op that nobody decided is left as it is. Raises InputError for an unknown patch.
    """
    wanted = frozenset(ops)
    with history.database.begin() as connection:
        number = patch_number(connection, history, patch)
        taken = (one for name, one in _held(connection, number).items() if name in wanted)
        said = {"verdict": WITHDRAWN, "decided_by": by, "decided_at": at, "reason": "", "edited": None}
        insert(connection, DECISIONS, [{"patch": number, **_row(one), **said} for one in taken])


def decisions_of(history: History, patch: str) -> tuple[Decision, ...]:
    """The decisions that hold on a patch, in the order of its ops. Raises InputError for an unknown patch."""
    with history.database.read() as connection:
        return tuple(_held(connection, patch_number(connection, history, patch)).values())


def past_decisions(history: History, patch: str, op: str) -> tuple[Decision, ...]:
    """Every verdict that was ever given on one op, oldest first. Raises InputError for an unknown patch."""
    with history.database.read() as connection:
        number = patch_number(connection, history, patch)
        given = (_d.patch == number, _d.op == op, _d.verdict != WITHDRAWN)
        query = select(*_FIELDS).where(*given).order_by(_d.number)
        return tuple(_decision(row) for row in connection.execute(query))


def holds() -> ColumnElement[bool]:
    """For a query on decisions: whether one is the latest on its op, a withdrawal included."""
    other = DECISIONS.alias()
    latest = select(func.max(other.c.number)).where(other.c.patch == _d.patch, other.c.op == _d.op)
    return _d.number == latest.scalar_subquery()


def _held(connection: Connection, number: int) -> dict[str, Decision]:
    query = (
        select(*_FIELDS)
        .join(OPS, (OPS.c.patch == _d.patch) & (OPS.c.id == _d.op))
        .where(_d.patch == number, holds(), _d.verdict != WITHDRAWN)
        .order_by(OPS.c.position)
    )
    return {row.op: _decision(row) for row in connection.execute(query)}


def _require_ops(connection: Connection, number: int, patch: str, decisions: Iterable[Decision]) -> None:
    strangers: list[str] = []
    for chunk in chunks(dict.fromkeys(one.op for one in decisions)):
        known = set(connection.execute(select(OPS.c.id).where(OPS.c.patch == number, OPS.c.id.in_(chunk))).scalars())
        strangers.extend(op for op in chunk if op not in known)
    if strangers:
        raise InputError(f"patch {patch} has no op {', '.join(map(repr, strangers))}; nothing was decided")


def _row(one: Decision) -> Mapping[str, Any]:
    return {
        "op": one.op,
        "shown_hash": one.shown_hash,
        "verdict": one.verdict,
        "decided_by": one.by,
        "decided_at": one.at,
        "actor": one.actor,
        "assurance": one.assurance,
        "reason": one.reason,
        "edited": one.edited,
    }


def _decision(row: Row[Any]) -> Decision:
    return Decision(
        op=row.op,
        shown_hash=row.shown_hash,
        verdict=row.verdict,
        by=row.decided_by,
        at=row.decided_at,
        actor=row.actor,
        assurance=row.assurance,
        reason=row.reason,
        edited=row.edited,
    )
