"""Conversations, what was found in them, and what was done about it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Index, Table, Text, UniqueConstraint

from pactkeeper.store.migrations.frozen import json_value, large, number, part_of, tables, whole, words

revision = "0005"
down_revision = "0004"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "conversations",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("source"),
    words("file"),
    words("session"),
    words("kind"),
    words("cwd"),
    words("branch"),
    words("first_at"),
    words("last_at"),
    whole("entries"),
    whole("replays"),
    large("offset"),
    words("uuid"),
    words("inode"),
    large("size"),
    words("head"),
    whole("head_length"),
    words("tail"),
    json_value("context"),
    json_value("gaps"),
    whole("gap_count"),
    words("read_at"),
    UniqueConstraint("repository", "id"),
)

Table(
    "entries",
    TABLES,
    words("repository", key=True),
    words("uuid_key", key=True),
    part_of("conversations", "conversation"),
    large("first_byte"),
    large("end_byte"),
    words("role"),
    words("at"),
    Index(None, "conversation", "first_byte"),
)

Table(
    "artifacts",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("fingerprint"),
    part_of("conversations", "conversation"),
    words("type"),
    words("title"),
    words("summary"),
    words("domain"),
    words("at"),
    words("value"),
    words("persistence"),
    words("evidence"),
    words("target"),
    words("change"),
    whole("strength"),
    whole("explicitness"),
    words("identity"),
    json_value("entities"),
    json_value("facts"),
    json_value("excerpts"),
    words("found_at"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "type", "number"),
    Index(None, "repository", "id"),
)

Table(
    "sightings",
    TABLES,
    part_of("artifacts", "artifact", key=True),
    part_of("conversations", "conversation", key=True),
    words("entry_key", key=True),
    words("at"),
    Index(None, "conversation"),
)

Table(
    "knowledge",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("kind"),
    words("subject_key"),
    words("subject"),
    words("text"),
    words("predicate"),
    words("object"),
    words("domain"),
    words("since"),
    words("until"),
    words("by"),
    words("quote"),
    words("at"),
    words("conversation"),
    words("artifact"),
    words("entry"),
    json_value("span"),
    words("recorded_at"),
    UniqueConstraint("repository", "id"),
)

Table(
    "knowledge_marks",
    TABLES,
    number(),
    words("repository"),
    words("item"),
    words("kind"),
    words("other"),
    words("reason"),
    words("by"),
    words("at"),
    Index(None, "repository", "item"),
)

Table(
    "reconciliations",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("at"),
    words("text"),
    Index(None, "repository", "id"),
)

Table(
    "settlements",
    TABLES,
    number(),
    words("repository"),
    words("question"),
    json_value("value"),
    words("answerer"),
    words("by"),
    words("at"),
    Index(None, "repository", "question"),
)

Table(
    "deeds",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("fingerprint"),
    words("artifact"),
    words("verb"),
    words("standing"),
    whole("automatic"),
    words("began_at"),
    words("at"),
    words("seen_at"),
    json_value("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "standing", "number"),
)

Table(
    "deed_steps",
    TABLES,
    number(),
    words("repository"),
    words("action"),
    words("step"),
    words("at"),
    words("by"),
    words("reason"),
    Column("written", Text, nullable=True),
    Index(None, "repository", "action", "number"),
)
