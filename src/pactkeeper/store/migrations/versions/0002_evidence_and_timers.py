"""Outcomes of tests, attestations, and what is due at a time."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.migrations.frozen import json_value, number, tables, words

revision = "0002"
down_revision = "0001"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "test_outcomes",
    TABLES,
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

Table(
    "attestations",
    TABLES,
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

Table(
    "timers",
    TABLES,
    words("repository", key=True),
    words("id", key=True),
    words("kind"),
    words("subject"),
    words("due_at"),
    json_value("payload"),
    words("done_at"),
    Index(None, "repository", "done_at", "due_at"),
)
