"""Conversations, what was found in them, and what was done about it."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

revision = "0005"
down_revision = "0004"

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


def _large(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, autoincrement=False)


def _json(name: str) -> Column[Any]:
    return Column(name, Text, nullable=False)


def _of(table: str, name: str, *, key: bool = False) -> Column[int]:
    target = ForeignKey(f"{table}.number", ondelete="CASCADE")
    return Column(name, Integer, target, primary_key=key, nullable=False, autoincrement=False)


Table(
    "conversations",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("source"),
    _words("file"),
    _words("session"),
    _words("kind"),
    _words("cwd"),
    _words("branch"),
    _words("first_at"),
    _words("last_at"),
    _whole("entries"),
    _whole("replays"),
    _large("offset"),
    _words("uuid"),
    _words("inode"),
    _large("size"),
    _words("head"),
    _whole("head_length"),
    _words("tail"),
    _json("context"),
    _json("gaps"),
    _whole("gap_count"),
    _words("read_at"),
    UniqueConstraint("repository", "id"),
)

Table(
    "entries",
    TABLES,
    _words("repository", key=True),
    _words("uuid_key", key=True),
    _of("conversations", "conversation"),
    _large("first_byte"),
    _large("end_byte"),
    _words("role"),
    _words("at"),
    Index(None, "conversation", "first_byte"),
)

Table(
    "artifacts",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("fingerprint"),
    _of("conversations", "conversation"),
    _words("type"),
    _words("title"),
    _words("summary"),
    _words("domain"),
    _words("at"),
    _words("value"),
    _words("persistence"),
    _words("evidence"),
    _words("target"),
    _words("change"),
    _whole("strength"),
    _whole("explicitness"),
    _words("identity"),
    _json("entities"),
    _json("facts"),
    _json("excerpts"),
    _words("found_at"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "type", "number"),
    Index(None, "repository", "id"),
)

Table(
    "sightings",
    TABLES,
    _of("artifacts", "artifact", key=True),
    _of("conversations", "conversation", key=True),
    _words("entry_key", key=True),
    _words("at"),
    Index(None, "conversation"),
)

Table(
    "knowledge",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("kind"),
    _words("subject_key"),
    _words("subject"),
    _words("text"),
    _words("predicate"),
    _words("object"),
    _words("domain"),
    _words("since"),
    _words("until"),
    _words("by"),
    _words("quote"),
    _words("at"),
    _words("conversation"),
    _words("artifact"),
    _words("entry"),
    _json("span"),
    _words("recorded_at"),
    UniqueConstraint("repository", "id"),
)

Table(
    "knowledge_marks",
    TABLES,
    _number(),
    _words("repository"),
    _words("item"),
    _words("kind"),
    _words("other"),
    _words("reason"),
    _words("by"),
    _words("at"),
    Index(None, "repository", "item"),
)

Table(
    "reconciliations",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("at"),
    _words("text"),
    Index(None, "repository", "id"),
)

Table(
    "settlements",
    TABLES,
    _number(),
    _words("repository"),
    _words("question"),
    _json("value"),
    _words("answerer"),
    _words("by"),
    _words("at"),
    Index(None, "repository", "question"),
)

Table(
    "deeds",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("fingerprint"),
    _words("artifact"),
    _words("verb"),
    _words("standing"),
    _whole("automatic"),
    _words("began_at"),
    _words("at"),
    _words("seen_at"),
    _json("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "standing", "number"),
)

Table(
    "deed_steps",
    TABLES,
    _number(),
    _words("repository"),
    _words("action"),
    _words("step"),
    _words("at"),
    _words("by"),
    _words("reason"),
    Column("written", Text, nullable=True),
    Index(None, "repository", "action", "number"),
)
