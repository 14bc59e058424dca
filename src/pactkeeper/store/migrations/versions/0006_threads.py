"""Threads: their messages, drafts, questions, and the constraints that they left."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import Column, Index, Integer, MetaData, Table, Text, UniqueConstraint

revision = "0006"
down_revision = "0005"

TEXT = Text().with_variant(Text(collation="C"), "postgresql")
TABLES = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True, autoincrement=True)


def _words(name: str, *, key: bool = False) -> Column[str]:
    return Column(name, TEXT, primary_key=key, nullable=False)


def _whole(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False, autoincrement=False)


def _json(name: str) -> Column[Any]:
    return Column(name, Text, nullable=False)


Table(
    "threads",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("channel"),
    _words("place"),
    _words("opened_by"),
    _words("opened_at"),
    UniqueConstraint("repository", "id"),
)

Table(
    "thread_messages",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("id"),
    _whole("sequence"),
    _words("author"),
    _words("at"),
    _json("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "thread", "sequence"),
)

Table(
    "thread_drafts",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _whole("version"),
    _words("hash"),
    _words("at"),
    _json("text"),
    _json("patches"),
    UniqueConstraint("repository", "thread", "version"),
)

Table(
    "thread_asks",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("id"),
    _whole("round"),
    _words("asked_at"),
    _words("closed_at"),
    _words("closed_by"),
    _json("text"),
    UniqueConstraint("repository", "thread", "id", "round"),
)

Table(
    "thread_constraints",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("key_name"),
    _words("key"),
    _words("value"),
    _words("status"),
    _words("at"),
    _json("said"),
    Index(None, "repository", "key_name", "number"),
)

Table(
    "thread_events",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("id"),
    _words("position"),
    _words("state"),
    _whole("run"),
    _words("due_at"),
    _json("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "state", "thread", "position"),
)

Table(
    "thread_states",
    TABLES,
    _words("repository", key=True),
    _words("thread", key=True),
    _json("text"),
)

Table(
    "thread_steps",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _whole("run"),
    _words("node"),
    _words("at"),
    _whole("milliseconds"),
    _words("reason"),
    _json("changed"),
    Index(None, "repository", "thread", "number"),
)

Table(
    "thread_posts",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("key"),
    _words("at"),
    _words("said_at"),
    _words("ref"),
    _json("text"),
    UniqueConstraint("repository", "thread", "key"),
    Index(None, "repository", "said_at", "number"),
)

Table(
    "thread_tickets",
    TABLES,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("key"),
    _words("state"),
    _json("text"),
    UniqueConstraint("repository", "thread", "key"),
)
