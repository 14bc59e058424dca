"""What models were asked and what it cost, and which answers were not taken."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Index, Integer, MetaData, Table, Text

revision = "0003"
down_revision = "0002"

TEXT = Text().with_variant(Text(collation="C"), "postgresql")
TABLES = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True, autoincrement=True)


def _words(name: str, *, key: bool = False) -> Column[str]:
    return Column(name, TEXT, primary_key=key, nullable=False)


def _whole(name: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, Integer, nullable=nullable, autoincrement=False)


Table(
    "proposals",
    TABLES,
    _number(),
    _words("repository"),
    _words("patch"),
    _words("text"),
    Index(None, "repository", "patch", "number"),
)

Table(
    "refused_answers",
    TABLES,
    _number(),
    _words("repository"),
    _words("question"),
    Column("value", TEXT, nullable=True),
    Column("reasons", TEXT, nullable=False),
    _whole("final"),
    _words("answerer"),
    _words("answered_by"),
    _words("answered_at"),
    Index(None, "repository", "question", "number"),
)

Table(
    "model_calls",
    TABLES,
    _number(),
    _words("repository"),
    _words("run"),
    _words("question"),
    _words("kind"),
    _words("version"),
    _words("model"),
    _words("at"),
    _words("instant"),
    _whole("input_tokens"),
    _whole("output_tokens"),
    _whole("money", nullable=True),
    _whole("milliseconds"),
    _words("state"),
    _whole("cached"),
    Index(None, "repository", "run", "number"),
    Index(None, "repository", "instant"),
)

Table(
    "model_answers",
    TABLES,
    _words("repository", key=True),
    _words("prompt_key", key=True),
    _words("model", key=True),
    _words("endpoint", key=True),
    _words("version"),
    Column("value", Text, nullable=True),
    _words("at"),
)
