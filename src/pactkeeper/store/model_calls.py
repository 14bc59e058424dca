"""Model calls with their cost, and models' answers to prompts, cached so that none is paid for twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import select

from pactkeeper.ledger.model import KeptAnswer, ModelCall
from pactkeeper.store.columns import instant
from pactkeeper.store.history import History, chunks, insert, upsert
from pactkeeper.store.tables import MODEL_ANSWERS, MODEL_CALLS

_FIELDS: Final = tuple(field.name for field in fields(ModelCall))
_c = MODEL_CALLS.c


def save_call(history: History, call: ModelCall) -> None:
    """Store one call; repeating it stores another. Raises InputError for a time without offset."""
    row = {name: getattr(call, name) for name in _FIELDS}
    moment = {"repository": history.repository, "instant": instant(call.at), "cached": int(call.cached)}
    with history.database.begin() as connection:
        insert(connection, MODEL_CALLS, [{**row, **moment}])


def calls_of(history: History, run: str) -> tuple[ModelCall, ...]:
    """Return the calls of a run in the order they ended."""
    return _found(history, _c.run == run)


def calls_since(history: History, moment: str) -> tuple[ModelCall, ...]:
    """Return the calls that ended at or after this time (ISO 8601 with offset), for any purpose."""
    return _found(history, _c.instant >= instant(moment))


def _found(history: History, condition: Any) -> tuple[ModelCall, ...]:  # noqa: ANN401 - a clause of SQLAlchemy
    query = select(*(_c[name] for name in _FIELDS)).where(_c.repository == history.repository, condition)
    with history.database.read() as connection:
        rows = connection.execute(query.order_by(_c.number)).mappings()
        return tuple(ModelCall(**{**row, "cached": bool(row["cached"])}) for row in rows)


_a = MODEL_ANSWERS.c


def keep_answer(history: History, answer: KeptAnswer) -> None:
    """Cache an answer; a later one from the same model and endpoint to the same prompt replaces it."""
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
    """Return this model's answers at this endpoint to the prompts with these keys, by key."""
    columns = (_a.prompt_key, _a.version, _a.model, _a.endpoint, _a.value, _a.at)
    query = select(*columns).where(_a.repository == history.repository, _a.model == model, _a.endpoint == endpoint)
    found: dict[str, KeptAnswer] = {}
    with history.database.read() as connection:
        for chunk in chunks(keys):
            rows = connection.execute(query.where(_a.prompt_key.in_(chunk)))
            found |= {row.prompt_key: KeptAnswer(*row) for row in rows}
    return found
