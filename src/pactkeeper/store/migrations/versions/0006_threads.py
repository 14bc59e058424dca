"""Threads: their messages, drafts, questions, and the constraints that they left."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.migrations.frozen import json_value, number, tables, whole, words

revision = "0006"
down_revision = "0005"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "threads",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("channel"),
    words("place"),
    words("opened_by"),
    words("opened_at"),
    UniqueConstraint("repository", "id"),
)

Table(
    "thread_messages",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    words("id"),
    whole("sequence"),
    words("author"),
    words("at"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "thread", "sequence"),
)

Table(
    "thread_drafts",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    whole("version"),
    words("hash"),
    words("at"),
    json_value("text"),
    json_value("patches"),
    UniqueConstraint("repository", "thread", "version"),
)

Table(
    "thread_asks",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    words("id"),
    whole("round"),
    words("asked_at"),
    words("closed_at"),
    words("closed_by"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id", "round"),
)

Table(
    "thread_constraints",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    words("key_name"),
    words("key"),
    words("value"),
    words("status"),
    words("at"),
    json_value("said"),
    Index(None, "repository", "key_name", "number"),
)

Table(
    "thread_events",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    words("id"),
    words("position"),
    words("state"),
    whole("run"),
    words("due_at"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "state", "thread", "position"),
)

Table(
    "thread_states",
    TABLES,
    words("repository", key=True),
    words("thread", key=True),
    json_value("text"),
)

Table(
    "thread_steps",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    whole("run"),
    words("node"),
    words("at"),
    whole("milliseconds"),
    words("reason"),
    json_value("changed"),
    Index(None, "repository", "thread", "number"),
)

Table(
    "thread_posts",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    words("key"),
    words("at"),
    words("said_at"),
    words("ref"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "key"),
    Index(None, "repository", "said_at", "number"),
)

Table(
    "thread_tickets",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    words("key"),
    words("state"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "key"),
)
