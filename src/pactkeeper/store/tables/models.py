"""What models and agents were asked, and which answers were not taken."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Index, Integer, Table

from pactkeeper.store.tables.making import METADATA, json_value, number, whole, words

REFUSED_ANSWERS: Final = Table(
    "refused_answers",
    METADATA,
    number(),
    words("repository"),
    words("question"),
    json_value("value", nullable=True),
    json_value("reasons"),
    whole("final"),
    words("answerer"),
    words("answered_by"),
    words("answered_at"),
    Index(None, "repository", "question", "number"),
)

MODEL_CALLS: Final = Table(
    "model_calls",
    METADATA,
    number(),
    words("repository"),
    words("run"),
    words("question"),
    words("kind"),
    words("version"),
    words("model"),
    words("at"),
    words("instant"),
    whole("input_tokens"),
    whole("output_tokens"),
    Column("money", Integer, nullable=True),
    whole("milliseconds"),
    words("state"),
    whole("cached"),
    Index(None, "repository", "run", "number"),
    Index(None, "repository", "instant"),
)

MODEL_ANSWERS: Final = Table(
    "model_answers",
    METADATA,
    words("repository", key=True),
    words("prompt_key", key=True),
    words("model", key=True),
    words("endpoint", key=True),
    words("version"),
    json_value("value", nullable=True),
    words("at"),
)
