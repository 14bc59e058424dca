"""Runs, patches, what was decided about them, and what runs remember."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Index, Integer, MetaData, Table, Text, UniqueConstraint

revision = "0001"
down_revision = None

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


def _maybe(name: str) -> Column[str | None]:
    return Column(name, TEXT, nullable=True)


def _whole(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, Integer, primary_key=key, nullable=False, autoincrement=False)


def _json(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=nullable)


def _of(table: str, name: str, *, key: bool = False) -> Column[int]:
    target = ForeignKey(f"{table}.number", ondelete="CASCADE")
    return Column(name, Integer, target, primary_key=key, nullable=False, autoincrement=False)


Table(
    "runs",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("root"),
    _words("mode"),
    _words("created_at"),
    _words("updated_at"),
    _words("status"),
    _words("phase"),
    _maybe("commit"),
    _words("base"),
    _maybe("baseline_run"),
    _maybe("baseline_commit"),
    _json("options"),
    _json("summary"),
    _maybe("patch"),
    _words("owner"),
    _words("error"),
    _words("cancel_requested_by"),
    _words("completed_at"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)

Table(
    "patches",
    TABLES,
    _number(),
    _words("repository"),
    _words("id"),
    _words("hash"),
    _words("base"),
    _json("sources"),
    _json("summary"),
    UniqueConstraint("repository", "id"),
)

Table(
    "run_patches",
    TABLES,
    _number(),
    _of("runs", "run"),
    _of("patches", "patch"),
    UniqueConstraint("run", "patch"),
    Index(None, "patch"),
)

Table(
    "ops",
    TABLES,
    _of("patches", "patch", key=True),
    _whole("position", key=True),
    _words("id"),
    _words("verb"),
    _words("shown_hash"),
    _maybe("test_key"),
    _maybe("body_hash"),
    _maybe("atom"),
    _words("text"),
    UniqueConstraint("patch", "id"),
    Index(None, "patch", "verb"),
    Index(None, "id"),
    Index(None, "test_key"),
    Index(None, "atom"),
)

Table(
    "parts",
    TABLES,
    _of("patches", "patch", key=True),
    _words("kind", key=True),
    _whole("position", key=True),
    _words("text"),
)

Table(
    "decisions",
    TABLES,
    _number(),
    _whole("patch"),
    _words("op"),
    _words("shown_hash"),
    _words("verdict"),
    _words("decided_by"),
    _words("decided_at"),
    _words("actor"),
    _words("assurance"),
    _words("reason"),
    _json("edited", nullable=True),
    ForeignKeyConstraint(["patch", "op"], ["ops.patch", "ops.id"], ondelete="CASCADE"),
    Index(None, "patch", "op", "number"),
)

Table(
    "applications",
    TABLES,
    _words("repository", key=True),
    _words("entry", key=True),
    _words("op", key=True),
    _words("patch"),
    _words("applied_at"),
    Index(None, "repository", "op"),
)

Table(
    "undos",
    TABLES,
    _words("repository", key=True),
    _words("entry", key=True),
    _words("by_entry", key=True),
    _words("undone_at"),
)

Table(
    "test_records",
    TABLES,
    _of("runs", "run", key=True),
    _words("test_key", key=True),
    _words("test_id"),
    _words("file_path"),
    _words("test_name"),
    _whole("line_number"),
    _words("body_hash"),
    _words("node"),
    _words("outcome"),
    _words("inference"),
    _words("created_at"),
    _maybe("recommendation"),
    Index(None, "test_key", "run"),
    Index(None, "body_hash"),
)

Table(
    "molecule_recommendations",
    TABLES,
    _of("runs", "run", key=True),
    _words("id", key=True),
    _whole("position"),
    _words("name"),
    _words("description"),
    _json("atom_recommendation_ids"),
    _json("atom_ids"),
    _words("confidence"),
    _words("status"),
    _maybe("molecule_id"),
    _words("created_at"),
    Index(None, "run", "status"),
    Index(None, "id"),
)

Table(
    "findings",
    TABLES,
    _number(),
    _words("repository"),
    _words("fingerprint"),
    _words("code"),
    _words("text"),
    _words("first_run"),
    _words("last_run"),
    _words("first_at"),
    _words("last_at"),
    UniqueConstraint("repository", "fingerprint"),
)

Table(
    "standings",
    TABLES,
    _number(),
    _words("repository"),
    _words("fingerprint"),
    _words("state"),
    _whole("failures"),
    _words("evidence_hash"),
    _words("until"),
    _words("said_by"),
    _words("reason"),
    _words("said_at"),
    ForeignKeyConstraint(
        ["repository", "fingerprint"], ["findings.repository", "findings.fingerprint"], ondelete="CASCADE"
    ),
    Index(None, "repository", "fingerprint", "number"),
)

Table(
    "questions",
    TABLES,
    _of("runs", "run", key=True),
    _words("id", key=True),
    _whole("position"),
    _words("kind"),
    _words("text"),
    Index(None, "id"),
)

Table(
    "answers",
    TABLES,
    _number(),
    _words("repository"),
    _words("question"),
    _json("value", nullable=True),
    _words("answerer"),
    _words("answered_by"),
    _words("answered_at"),
    Index(None, "repository", "question", "number"),
)

Table(
    "cursors",
    TABLES,
    _words("repository", key=True),
    _words("source_key", key=True),
    _words("source"),
    _words("kind"),
    _words("position"),
    _whole("offset"),
)

Table(
    "trace",
    TABLES,
    _of("runs", "run", key=True),
    _whole("sequence", key=True),
    _words("node"),
    _words("at"),
    _whole("milliseconds"),
    _json("counts"),
    _words("note"),
)
