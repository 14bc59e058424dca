"""Sweeps, what they found, and the tasks that mend it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.migrations.frozen import json_value, number, part_of, tables, whole, words

revision = "0004"
down_revision = "0003"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "sweeps",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("commit"),
    words("branch"),
    words("started_at"),
    words("ended_at"),
    whole("stale"),
    words("infrastructure"),
    json_value("tasks"),
    UniqueConstraint("repository", "id"),
)

Table(
    "sweep_results",
    TABLES,
    part_of("sweeps", "sweep", key=True),
    whole("position", key=True),
    words("check_name"),
    words("category"),
    words("verdict"),
    words("reason"),
    json_value("code", nullable=True),
    whole("milliseconds"),
    json_value("seen", nullable=True),
)

Table(
    "health_findings",
    TABLES,
    number(),
    words("repository"),
    words("fingerprint"),
    words("state"),
    words("first_sweep"),
    words("last_sweep"),
    json_value("text"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "state", "number"),
)

Table(
    "fix_tasks",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("status"),
    json_value("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)
