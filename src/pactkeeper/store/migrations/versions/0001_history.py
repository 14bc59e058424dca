"""All tables of a history."""

from __future__ import annotations

from alembic import op

from pactkeeper.store.migrate import create_tables
from pactkeeper.store.tables import METADATA

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    create_tables(op.get_bind())


def downgrade() -> None:
    """Drop all tables and their data."""
    METADATA.drop_all(op.get_bind(), checkfirst=False)
