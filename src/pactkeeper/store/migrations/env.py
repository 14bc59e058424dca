"""Alembic's entry point for every migration: uses the connection it is given, in its transaction."""

from __future__ import annotations

from alembic import context

from pactkeeper.store.database import VERSION_TABLE
from pactkeeper.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
