"""Accounts, tokens, the audit log, and the repositories of a server with their members."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Index, Table

from pactkeeper.store.migrations.frozen import number, tables, whole, words

revision = "0009"
down_revision = "0008"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "accounts",
    TABLES,
    words("name", key=True),
    words("person"),
    words("role"),
    words("password"),
    words("subject"),
    words("created_at"),
    words("disabled_at"),
    Index(None, "subject"),
)

Table(
    "tokens",
    TABLES,
    words("id", key=True),
    words("hash"),
    words("account"),
    words("label"),
    words("kind"),
    words("role"),
    words("server_repository"),
    words("created_at"),
    words("expires_at"),
    words("revoked_at"),
    Index(None, "hash", unique=True),
    Index(None, "account"),
)

Table(
    "audit",
    TABLES,
    number(),
    words("at"),
    words("account"),
    words("kind"),
    words("action"),
    words("subject"),
    words("outcome"),
    words("address"),
    Index(None, "account", "number"),
)

Table(
    "server_repositories",
    TABLES,
    words("name", key=True),
    words("place"),
    whole("depth"),
    whole("partial"),
    whole("shared"),
    words("most"),
    words("added_at"),
    words("fetched_at"),
    words("commit"),
    words("trouble"),
)

Table(
    "members",
    TABLES,
    words("server_repository", key=True),
    words("account", key=True),
    words("role"),
    Index(None, "account"),
)
