"""What models were asked, call by call, and what that took.

What models said to prompts, kept so that the same is never paid for twice.

Timers: rows with a time at which something is due, moved on by one tick.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import select, update

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.model import KeptAnswer, ModelCall
from pactkeeper.store.history import History, chunks, insert, insert_new, upsert
from pactkeeper.store.tables import MODEL_ANSWERS, MODEL_CALLS, TIMERS

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


_a = MODEL_ANSWERS.c


def keep_answer(history: History, answer: KeptAnswer) -> None:
    """Keep an answer; a later one of the same model at the same address to the same prompt replaces it."""
    row = {
        "repository": history.repository,
        "prompt_key": answer.key,
        "model": answer.model,
        "endpoint": answer.endpoint,
        "version": answer.version,
        "value": answer.value,
        "at": answer.at,
    }
    with history.database.begin() as connection:
        upsert(connection, MODEL_ANSWERS, [row], key=("repository", "prompt_key", "model", "endpoint"))


def kept_answers(history: History, keys: Iterable[str], *, model: str, endpoint: str) -> Mapping[str, KeptAnswer]:
    """The answers that this model at this address gave to the prompts with these keys, by key."""
    columns = (_a.prompt_key, _a.version, _a.model, _a.endpoint, _a.value, _a.at)
    query = select(*columns).where(_a.repository == history.repository, _a.model == model, _a.endpoint == endpoint)
    found: dict[str, KeptAnswer] = {}
    with history.database.read() as connection:
        for chunk in chunks(keys):
            rows = connection.execute(query.where(_a.prompt_key.in_(chunk)))
            found |= {row.prompt_key: KeptAnswer(*row) for row in rows}
    return found


@dataclass(frozen=True, slots=True)
class Timer:
    """Something that is due at a time (ISO 8601 with offset): its kind says what to do, its subject to what."""

    id: str
    kind: str
    subject: str
    due_at: str
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


def add_timer(history: History, timer: Timer) -> None:
    """Set a timer; one of that id, whether it waits or is done, stays as it is."""
    row = {
        "repository": history.repository,
        "id": timer.id,
        "kind": timer.kind,
        "subject": timer.subject,
        "due_at": instant(timer.due_at),
        "payload": timer.payload,
        "done_at": "",
    }
    with history.database.begin() as connection:
        insert_new(connection, TIMERS, [row])


def due(history: History, *, now: str) -> tuple[Timer, ...]:
    """The timers whose time has come, the longest overdue first; their times are in UTC."""
    t = TIMERS.c
    query = (
        select(t.id, t.kind, t.subject, t.due_at, t.payload)
        .where(t.repository == history.repository, t.done_at == "", t.due_at <= instant(now))
        .order_by(t.due_at, t.id)
    )
    with history.database.read() as connection:
        return tuple(Timer(*row) for row in connection.execute(query))


def advance(history: History, timer: Timer, *, at: str, again: str = "") -> bool:
    """Be done with a timer, or set it to the time `again`; False where another tick has moved it since it was due.

    Whoever gets True, and nobody else, does what the timer asks for.
    """
    t = TIMERS.c
    moved = {"due_at": instant(again)} if again else {"done_at": instant(at)}
    change = update(TIMERS).where(
        t.repository == history.repository,
        t.id == timer.id,
        t.due_at == instant(timer.due_at),
        t.done_at == "",
    )
    with history.database.begin() as connection:
        return bool(connection.execute(change.values(moved)).rowcount)


def instant(text: str) -> str:
    """An ISO 8601 time with offset, in UTC and with microseconds: these texts sort as the times do.

    Raises InputError for any other text.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is no ISO 8601 time ({error})") from error
    if found.tzinfo is None:
        raise InputError(f"the time {text!r} has no offset; write it like 2026-01-31T12:00:00+00:00")
    return found.astimezone(UTC).isoformat(timespec="microseconds")
