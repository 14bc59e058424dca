"""${message}."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pactkeeper.store.columns import Json, Words

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """${message}."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Undo it; what was kept there is lost."""
    ${downgrades if downgrades else "pass"}
