"""What Alembic runs for every migration: the connection that was handed in, in its transaction."""

from __future__ import annotations

from alembic import context

from pactkeeper.store.revision import VERSION_TABLE
from pactkeeper.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
