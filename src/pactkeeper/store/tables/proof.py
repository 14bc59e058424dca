"""What test runs and attestations say, and what is due at a time."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.tables.making import METADATA, json_value, number, words

TEST_OUTCOMES: Final = Table(
    "test_outcomes",
    METADATA,
    number(),
    words("repository"),
    words("test_key"),
    words("commit"),
    words("source"),
    words("test_id"),
    words("body_hash"),
    words("file_blob"),
    words("outcome"),
    words("at"),
    words("instant"),
    UniqueConstraint("repository", "test_key", "commit", "source"),
)

ATTESTATIONS: Final = Table(
    "attestations",
    METADATA,
    number(),
    words("repository"),
    words("commit"),
    words("hash"),
    words("catalog_hash"),
    words("origin"),
    words("attested_by"),
    words("at"),
    words("instant"),
    words("text"),
    words("signature"),
    UniqueConstraint("repository", "hash"),
    Index(None, "repository", "commit"),
)

TIMERS: Final = Table(
    "timers",
    METADATA,
    words("repository", key=True),
    words("id", key=True),
    words("kind"),
    words("subject"),
    words("due_at"),
    json_value("payload"),
    words("done_at"),
    Index(None, "repository", "done_at", "due_at"),
)
