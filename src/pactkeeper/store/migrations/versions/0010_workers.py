"""Who works on jobs, which jobs were taken from whom, and what jobs have stored."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Index, Table

from pactkeeper.store.migrations.frozen import json_value, large, number, tables, whole, words

revision = "0010"
down_revision = "0009"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "workers",
    TABLES,
    words("id", key=True),
    words("host"),
    whole("process"),
    words("version"),
    words("state"),
    large("began"),
    large("beat"),
)

Table(
    "job_handovers",
    TABLES,
    number(),
    words("job"),
    words("worker"),
    large("at"),
    Index(None, "job"),
)

Table(
    "job_turns",
    TABLES,
    words("subject", key=True),
    words("job"),
    words("token"),
)

Table(
    "job_receipts",
    TABLES,
    words("job", key=True),
    json_value("said"),
)
