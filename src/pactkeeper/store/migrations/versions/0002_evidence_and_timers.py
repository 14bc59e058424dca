"""Outcomes of tests, attestations, and what is due at a time."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import Column, Index, Integer, MetaData, Table, Text, UniqueConstraint

revision = "0002"
down_revision = "0001"

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


def _json(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=nullable)


Table(
    "test_outcomes",
    TABLES,
    _number(),
    _words("repository"),
    _words("test_key"),
    _words("commit"),
    _words("source"),
    _words("test_id"),
    _words("body_hash"),
    _words("file_blob"),
    _words("outcome"),
    _words("at"),
    _words("instant"),
    UniqueConstraint("repository", "test_key", "commit", "source"),
)

Table(
    "attestations",
    TABLES,
    _number(),
    _words("repository"),
    _words("commit"),
    _words("hash"),
    _words("catalog_hash"),
    _words("origin"),
    _words("attested_by"),
    _words("at"),
    _words("instant"),
    _words("text"),
    _words("signature"),
    UniqueConstraint("repository", "hash"),
    Index(None, "repository", "commit"),
)

Table(
    "timers",
    TABLES,
    _words("repository", key=True),
    _words("id", key=True),
    _words("kind"),
    _words("subject"),
    _words("due_at"),
    _json("payload"),
    _words("done_at"),
    Index(None, "repository", "done_at", "due_at"),
)
