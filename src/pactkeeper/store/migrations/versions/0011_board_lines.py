"""What several hosts did on boards."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Index, Table

from pactkeeper.store.migrations.frozen import json_value, number, tables, words

revision = "0011"
down_revision = "0010"

TABLES = tables()


def upgrade() -> None:
    """Make the table; it stands here as it was at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the table with all it holds."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "board_lines",
    TABLES,
    number(),
    words("board"),
    json_value("line"),
    Index(None, "board"),
)
