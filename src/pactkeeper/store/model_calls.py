"""What models were asked, call by call, and what that took."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from sqlalchemy import select

from pactkeeper.ledger.model import ModelCall
from pactkeeper.store.bulk import insert
from pactkeeper.store.history import History
from pactkeeper.store.instants import instant
from pactkeeper.store.tables import MODEL_CALLS

_FIELDS: Final = tuple(field.name for field in fields(ModelCall))
_c = MODEL_CALLS.c


def save_call(history: History, call: ModelCall) -> None:
    """Keep one call; the same call again is another one. Raises InputError for a time without offset."""
    row = {name: getattr(call, name) for name in _FIELDS}
    moment = {"repository": history.repository, "instant": instant(call.at), "cached": int(call.cached)}
    with history.database.begin() as connection:
        insert(connection, MODEL_CALLS, [{**row, **moment}])


def calls_of(history: History, run: str) -> tuple[ModelCall, ...]:
    """The calls of a run, in the order they ended; none where it asked nobody."""
    return _found(history, _c.run == run)


def calls_since(history: History, moment: str) -> tuple[ModelCall, ...]:
    """The calls that ended at this time (ISO 8601 with offset) or later, whatever they were for."""
    return _found(history, _c.instant >= instant(moment))


def _found(history: History, condition: Any) -> tuple[ModelCall, ...]:  # noqa: ANN401 - a clause of SQLAlchemy
    query = select(*(_c[name] for name in _FIELDS)).where(_c.repository == history.repository, condition)
    with history.database.read() as connection:
        rows = connection.execute(query.order_by(_c.number)).mappings()
        return tuple(ModelCall(**{**row, "cached": bool(row["cached"])}) for row in rows)
