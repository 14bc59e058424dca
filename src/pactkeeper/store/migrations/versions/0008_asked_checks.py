"""Which checks a sweep was asked for; nothing where all were, or where nobody kept it."""

from __future__ import annotations

from alembic import op

from pactkeeper.store.migrations.frozen import json_value

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column."""
    op.add_column("sweeps", json_value("only", nullable=True))


def downgrade() -> None:
    """Drop the column with what it says."""
    op.drop_column("sweeps", "only")
