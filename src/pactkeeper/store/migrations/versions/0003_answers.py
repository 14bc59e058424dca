"""What models were asked and what it cost, and which answers were not taken."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Index, Table, Text

from pactkeeper.store.migrations.frozen import TEXT, number, tables, whole, words

revision = "0003"
down_revision = "0002"

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "proposals",
    TABLES,
    number(),
    words("repository"),
    words("patch"),
    words("text"),
    Index(None, "repository", "patch", "number"),
)

Table(
    "refused_answers",
    TABLES,
    number(),
    words("repository"),
    words("question"),
    Column("value", TEXT, nullable=True),
    Column("reasons", TEXT, nullable=False),
    whole("final"),
    words("answerer"),
    words("answered_by"),
    words("answered_at"),
    Index(None, "repository", "question", "number"),
)

Table(
    "model_calls",
    TABLES,
    number(),
    words("repository"),
    words("run"),
    words("question"),
    words("kind"),
    words("version"),
    words("model"),
    words("at"),
    words("instant"),
    whole("input_tokens"),
    whole("output_tokens"),
    whole("money", nullable=True),
    whole("milliseconds"),
    words("state"),
    whole("cached"),
    Index(None, "repository", "run", "number"),
    Index(None, "repository", "instant"),
)

Table(
    "model_answers",
    TABLES,
    words("repository", key=True),
    words("prompt_key", key=True),
    words("model", key=True),
    words("endpoint", key=True),
    words("version"),
    Column("value", Text, nullable=True),
    words("at"),
)
