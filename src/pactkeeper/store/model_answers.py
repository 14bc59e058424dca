"""What models said to prompts, kept so that the same is never paid for twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import select

from pactkeeper.ledger.model import KeptAnswer
from pactkeeper.store.bulk import chunks, upsert
from pactkeeper.store.history import History
from pactkeeper.store.tables import MODEL_ANSWERS

_c = MODEL_ANSWERS.c


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
    columns = (_c.prompt_key, _c.version, _c.model, _c.endpoint, _c.value, _c.at)
    query = select(*columns).where(_c.repository == history.repository, _c.model == model, _c.endpoint == endpoint)
    found: dict[str, KeptAnswer] = {}
    with history.database.read() as connection:
        for chunk in chunks(keys):
            rows = connection.execute(query.where(_c.prompt_key.in_(chunk)))
            found |= {row.prompt_key: KeptAnswer(*row) for row in rows}
    return found
