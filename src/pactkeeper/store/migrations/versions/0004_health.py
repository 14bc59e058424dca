"""Sweeps, what they found, and the tasks that mend it."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

revision = "0004"
down_revision = "0003"

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


def _words(name: str) -> Column[str]:
    return Column(name, TEXT, nullable=False)


def _whole(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, Integer, primary_key=key, nullable=False, autoincrement=False)


def _json(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=nullable)


def _of(table: str, name: str, *, key: bool = False) -> Column[int]:
    target = ForeignKey(f"{table}.number", ondelete="CASCADE")
    return Column(name, Integer, target, primary_key=key, nullable=False, autoincrement=False)


Table(
    "sweeps",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("commit"),
    _words("branch"),
    _words("started_at"),
    _words("ended_at"),
    _whole("stale"),
    _words("infrastructure"),
    _json("tasks"),
    UniqueConstraint("repository", "id"),
)

Table(
    "sweep_results",
    TABLES,
    _of("sweeps", "sweep", key=True),
    _whole("position", key=True),
    _words("check_name"),
    _words("category"),
    _words("verdict"),
    _words("reason"),
    _json("code", nullable=True),
    _whole("milliseconds"),
    _json("seen", nullable=True),
)

Table(
    "health_findings",
    TABLES,
    _number(),
    _words("repository"),
    _words("fingerprint"),
    _words("state"),
    _words("first_sweep"),
    _words("last_sweep"),
    _json("text"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "state", "number"),
)

Table(
    "fix_tasks",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("status"),
    _json("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)
