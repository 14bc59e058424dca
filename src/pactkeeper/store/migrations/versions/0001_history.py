"""Runs, patches, what was decided about them, and what runs remember."""

from __future__ import annotations

from alembic import op
from sqlalchemy import ForeignKeyConstraint, Index, Table, UniqueConstraint

from pactkeeper.store.migrations.frozen import json_value, maybe, number, part_of, tables, whole, words

revision = "0001"
down_revision = None

TABLES = tables()


def upgrade() -> None:
    """Make the tables; they stand here as they were at this revision."""
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables with all they hold."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


Table(
    "runs",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("root"),
    words("mode"),
    words("created_at"),
    words("updated_at"),
    words("status"),
    words("phase"),
    maybe("commit"),
    words("base"),
    maybe("baseline_run"),
    maybe("baseline_commit"),
    json_value("options"),
    json_value("summary"),
    maybe("patch"),
    words("owner"),
    words("error"),
    words("cancel_requested_by"),
    words("completed_at"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)

Table(
    "patches",
    TABLES,
    number(),
    words("repository"),
    words("id"),
    words("hash"),
    words("base"),
    json_value("sources"),
    json_value("summary"),
    UniqueConstraint("repository", "id"),
)

Table(
    "run_patches",
    TABLES,
    number(),
    part_of("runs", "run"),
    part_of("patches", "patch"),
    UniqueConstraint("run", "patch"),
    Index(None, "patch"),
)

Table(
    "ops",
    TABLES,
    part_of("patches", "patch", key=True),
    whole("position", key=True),
    words("id"),
    words("verb"),
    words("shown_hash"),
    maybe("test_key"),
    maybe("body_hash"),
    maybe("atom"),
    words("text"),
    UniqueConstraint("patch", "id"),
    Index(None, "patch", "verb"),
    Index(None, "id"),
    Index(None, "test_key"),
    Index(None, "atom"),
)

Table(
    "parts",
    TABLES,
    part_of("patches", "patch", key=True),
    words("kind", key=True),
    whole("position", key=True),
    words("text"),
)

Table(
    "decisions",
    TABLES,
    number(),
    whole("patch"),
    words("op"),
    words("shown_hash"),
    words("verdict"),
    words("decided_by"),
    words("decided_at"),
    words("actor"),
    words("assurance"),
    words("reason"),
    json_value("edited", nullable=True),
    ForeignKeyConstraint(["patch", "op"], ["ops.patch", "ops.id"], ondelete="CASCADE"),
    Index(None, "patch", "op", "number"),
)

Table(
    "applications",
    TABLES,
    words("repository", key=True),
    words("entry", key=True),
    words("op", key=True),
    words("patch"),
    words("applied_at"),
    Index(None, "repository", "op"),
)

Table(
    "undos",
    TABLES,
    words("repository", key=True),
    words("entry", key=True),
    words("by_entry", key=True),
    words("undone_at"),
)

Table(
    "test_records",
    TABLES,
    part_of("runs", "run", key=True),
    words("test_key", key=True),
    words("test_id"),
    words("file_path"),
    words("test_name"),
    whole("line_number"),
    words("body_hash"),
    words("node"),
    words("outcome"),
    words("inference"),
    words("created_at"),
    maybe("recommendation"),
    Index(None, "test_key", "run"),
    Index(None, "body_hash"),
)

Table(
    "molecule_recommendations",
    TABLES,
    part_of("runs", "run", key=True),
    words("id", key=True),
    whole("position"),
    words("name"),
    words("description"),
    json_value("atom_recommendation_ids"),
    json_value("atom_ids"),
    words("confidence"),
    words("status"),
    maybe("molecule_id"),
    words("created_at"),
    Index(None, "run", "status"),
    Index(None, "id"),
)

Table(
    "findings",
    TABLES,
    number(),
    words("repository"),
    words("fingerprint"),
    words("code"),
    words("text"),
    words("first_run"),
    words("last_run"),
    words("first_at"),
    words("last_at"),
    UniqueConstraint("repository", "fingerprint"),
)

Table(
    "standings",
    TABLES,
    number(),
    words("repository"),
    words("fingerprint"),
    words("state"),
    whole("failures"),
    words("evidence_hash"),
    words("until"),
    words("said_by"),
    words("reason"),
    words("said_at"),
    ForeignKeyConstraint(
        ["repository", "fingerprint"], ["findings.repository", "findings.fingerprint"], ondelete="CASCADE"
    ),
    Index(None, "repository", "fingerprint", "number"),
)

Table(
    "questions",
    TABLES,
    part_of("runs", "run", key=True),
    words("id", key=True),
    whole("position"),
    words("kind"),
    words("text"),
    Index(None, "id"),
)

Table(
    "answers",
    TABLES,
    number(),
    words("repository"),
    words("question"),
    json_value("value", nullable=True),
    words("answerer"),
    words("answered_by"),
    words("answered_at"),
    Index(None, "repository", "question", "number"),
)

Table(
    "cursors",
    TABLES,
    words("repository", key=True),
    words("source_key", key=True),
    words("source"),
    words("kind"),
    words("position"),
    whole("offset"),
)

Table(
    "trace",
    TABLES,
    part_of("runs", "run", key=True),
    whole("sequence", key=True),
    words("node"),
    words("at"),
    whole("milliseconds"),
    json_value("counts"),
    words("note"),
)
