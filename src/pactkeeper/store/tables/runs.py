"""Runs: what they saw, proposed and asked, and what was decided and applied.

Also calls of models and agents, and rejected answers.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, Table, UniqueConstraint

from pactkeeper.store.columns import METADATA, json_value, maybe, number, part_of, whole, words

RUNS: Final = Table(
    "runs",
    METADATA,
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

PATCHES: Final = Table(
    "patches",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("hash"),
    words("base"),
    json_value("sources"),
    json_value("summary"),
    UniqueConstraint("repository", "id"),
)

# A run that resumes after an answer makes another patch, and two runs of one state make the same patch.
RUN_PATCHES: Final = Table(
    "run_patches",
    METADATA,
    number(),
    part_of("runs", "run"),
    part_of("patches", "patch"),
    UniqueConstraint("run", "patch"),
    Index(None, "patch"),
)

OPS: Final = Table(
    "ops",
    METADATA,
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

# The findings and questions of a patch as shown; their later state is in separate tables.
PARTS: Final = Table(
    "parts",
    METADATA,
    part_of("patches", "patch", key=True),
    words("kind", key=True),
    whole("position", key=True),
    words("text"),
)

DECISIONS: Final = Table(
    "decisions",
    METADATA,
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

PROPOSALS: Final = Table(
    "proposals",
    METADATA,
    number(),
    words("repository"),
    words("patch"),
    words("text"),
    Index(None, "repository", "patch", "number"),
)

APPLICATIONS: Final = Table(
    "applications",
    METADATA,
    words("repository", key=True),
    words("entry", key=True),
    words("op", key=True),
    words("patch"),
    words("applied_at"),
    Index(None, "repository", "op"),
)

UNDOS: Final = Table(
    "undos",
    METADATA,
    words("repository", key=True),
    words("entry", key=True),
    words("by_entry", key=True),
    words("undone_at"),
)

TEST_RECORDS: Final = Table(
    "test_records",
    METADATA,
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

MOLECULE_RECOMMENDATIONS: Final = Table(
    "molecule_recommendations",
    METADATA,
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

FINDINGS: Final = Table(
    "findings",
    METADATA,
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

STANDINGS: Final = Table(
    "standings",
    METADATA,
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

QUESTIONS: Final = Table(
    "questions",
    METADATA,
    part_of("runs", "run", key=True),
    words("id", key=True),
    whole("position"),
    words("kind"),
    words("text"),
    Index(None, "id"),
)

ANSWERS: Final = Table(
    "answers",
    METADATA,
    number(),
    words("repository"),
    words("question"),
    json_value("value", nullable=True),
    words("answerer"),
    words("answered_by"),
    words("answered_at"),
    Index(None, "repository", "question", "number"),
)

TRACE: Final = Table(
    "trace",
    METADATA,
    part_of("runs", "run", key=True),
    whole("sequence", key=True),
    words("node"),
    words("at"),
    whole("milliseconds"),
    json_value("counts"),
    words("note"),
)


REFUSED_ANSWERS: Final = Table(
    "refused_answers",
    METADATA,
    number(),
    words("repository"),
    words("question"),
    json_value("value", nullable=True),
    json_value("reasons"),
    whole("final"),
    words("answerer"),
    words("answered_by"),
    words("answered_at"),
    Index(None, "repository", "question", "number"),
)

MODEL_CALLS: Final = Table(
    "model_calls",
    METADATA,
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
    Column("money", Integer, nullable=True),
    whole("milliseconds"),
    words("state"),
    whole("cached"),
    Index(None, "repository", "run", "number"),
    Index(None, "repository", "instant"),
)

MODEL_ANSWERS: Final = Table(
    "model_answers",
    METADATA,
    words("repository", key=True),
    words("prompt_key", key=True),
    words("model", key=True),
    words("endpoint", key=True),
    words("version"),
    json_value("value", nullable=True),
    words("at"),
)
