"""What several hosts did on boards, and when one may call a target next."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Index, Table

from pactkeeper.store.migrations.frozen import json_value, large, number, tables, words

revision = "0011"
down_revision = "0010"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "board_lines",
    TABLES,
    number(),
    words("board"),
    json_value("line"),
    Index(None, "board"),
)

Table(
    "paces",
    TABLES,
    words("target", key=True),
    large("free_at"),
)
