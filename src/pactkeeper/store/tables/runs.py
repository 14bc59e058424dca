"""Runs and sweeps: what they saw, proposed, asked and found, and what was decided and applied.

Also calls of models and agents, and rejected answers.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, UniqueConstraint

from pactkeeper.store.columns import json_value, maybe, number, part_of, table, whole, words

RUNS: Final = table(
    "runs",
    number(),
    words("repository", "id", "root", "mode", "created_at", "updated_at", "status", "phase"),
    maybe("commit"),
    words("base"),
    maybe("baseline_run", "baseline_commit"),
    json_value("options", "summary"),
    maybe("patch"),
    words("owner", "error", "cancel_requested_by", "completed_at"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)

PATCHES: Final = table(
    "patches",
    number(),
    words("repository", "id", "hash", "base"),
    json_value("sources", "summary"),
    UniqueConstraint("repository", "id"),
)

# A run that resumes after an answer makes another patch, and two runs of one state make the same patch.
RUN_PATCHES: Final = table(
    "run_patches",
    number(),
    part_of("runs", "run"),
    part_of("patches", "patch"),
    UniqueConstraint("run", "patch"),
    Index(None, "patch"),
)

OPS: Final = table(
    "ops",
    part_of("patches", "patch", key=True),
    whole("position", key=True),
    words("id", "verb", "shown_hash"),
    maybe("test_key", "body_hash", "atom"),
    words("text"),
    UniqueConstraint("patch", "id"),
    Index(None, "patch", "verb"),
    Index(None, "id"),
    Index(None, "test_key"),
    Index(None, "atom"),
)

# The findings and questions of a patch as shown; their later state is in separate tables.
PARTS: Final = table(
    "parts",
    part_of("patches", "patch", key=True),
    words("kind", key=True),
    whole("position", key=True),
    words("text"),
)

DECISIONS: Final = table(
    "decisions",
    number(),
    whole("patch"),
    words("op", "shown_hash", "verdict", "decided_by", "decided_at", "actor", "assurance", "reason"),
    json_value("edited", nullable=True),
    ForeignKeyConstraint(["patch", "op"], ["ops.patch", "ops.id"], ondelete="CASCADE"),
    Index(None, "patch", "op", "number"),
)

PROPOSALS: Final = table(
    "proposals",
    number(),
    words("repository", "patch", "text"),
    Index(None, "repository", "patch", "number"),
)

APPLICATIONS: Final = table(
    "applications",
    words("repository", "entry", "op", key=True),
    words("patch", "applied_at"),
    Index(None, "repository", "op"),
)

UNDOS: Final = table(
    "undos",
    words("repository", "entry", "by_entry", key=True),
    words("undone_at"),
)

TEST_RECORDS: Final = table(
    "test_records",
    part_of("runs", "run", key=True),
    words("test_key", key=True),
    words("test_id", "file_path", "test_name"),
    whole("line_number"),
    words("body_hash", "node", "outcome", "inference", "created_at"),
    maybe("recommendation"),
    Index(None, "test_key", "run"),
    Index(None, "body_hash"),
)

MOLECULE_RECOMMENDATIONS: Final = table(
    "molecule_recommendations",
    part_of("runs", "run", key=True),
    words("id", key=True),
    whole("position"),
    words("name", "description"),
    json_value("atom_recommendation_ids", "atom_ids"),
    words("confidence", "status"),
    maybe("molecule_id"),
    words("created_at"),
    Index(None, "run", "status"),
    Index(None, "id"),
)

FINDINGS: Final = table(
    "findings",
    number(),
    words("repository", "fingerprint", "code", "text", "first_run", "last_run", "first_at", "last_at"),
    UniqueConstraint("repository", "fingerprint"),
)

STANDINGS: Final = table(
    "standings",
    number(),
    words("repository", "fingerprint", "state"),
    whole("failures"),
    words("evidence_hash", "until", "said_by", "reason", "said_at"),
    ForeignKeyConstraint(
        ["repository", "fingerprint"], ["findings.repository", "findings.fingerprint"], ondelete="CASCADE"
    ),
    Index(None, "repository", "fingerprint", "number"),
)

QUESTIONS: Final = table(
    "questions",
    part_of("runs", "run", key=True),
    words("id", key=True),
    whole("position"),
    words("kind", "text"),
    Index(None, "id"),
)

ANSWERS: Final = table(
    "answers",
    number(),
    words("repository", "question"),
    json_value("value", nullable=True),
    words("answerer", "answered_by", "answered_at"),
    Index(None, "repository", "question", "number"),
)

TRACE: Final = table(
    "trace",
    part_of("runs", "run", key=True),
    whole("sequence", key=True),
    words("node", "at"),
    whole("milliseconds"),
    json_value("counts"),
    words("note"),
)


REFUSED_ANSWERS: Final = table(
    "refused_answers",
    number(),
    words("repository", "question"),
    json_value("value", nullable=True),
    json_value("reasons"),
    whole("final"),
    words("answerer", "answered_by", "answered_at"),
    Index(None, "repository", "question", "number"),
)

MODEL_CALLS: Final = table(
    "model_calls",
    number(),
    words("repository", "run", "question", "kind", "version", "model", "at", "instant"),
    whole("input_tokens", "output_tokens"),
    Column("money", Integer, nullable=True),
    whole("milliseconds"),
    words("state"),
    whole("cached"),
    Index(None, "repository", "run", "number"),
    Index(None, "repository", "instant"),
)

MODEL_ANSWERS: Final = table(
    "model_answers",
    words("repository", "prompt_key", "model", "endpoint", key=True),
    words("version"),
    json_value("value", nullable=True),
    words("at"),
)


SWEEPS: Final = table(
    "sweeps",
    number(),
    words("repository", "id", "commit", "branch", "started_at", "ended_at"),
    whole("stale"),
    words("infrastructure"),
    json_value("tasks"),
    json_value("only", nullable=True),
    UniqueConstraint("repository", "id"),
)

SWEEP_RESULTS: Final = table(
    "sweep_results",
    part_of("sweeps", "sweep", key=True),
    whole("position", key=True),
    words("check_name", "category", "verdict", "reason"),
    json_value("code", nullable=True),
    whole("milliseconds"),
)

HEALTH_FINDINGS: Final = table(
    "health_findings",
    number(),
    words("repository", "fingerprint", "state", "first_sweep", "last_sweep"),
    json_value("text"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "state", "number"),
)

FIX_TASKS: Final = table(
    "fix_tasks",
    number(),
    words("repository", "id", "status"),
    json_value("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)


TEST_OUTCOMES: Final = table(
    "test_outcomes",
    number(),
    words(
        "repository", "test_key", "commit", "source", "test_id", "body_hash", "file_blob", "outcome", "at", "instant"
    ),
    UniqueConstraint("repository", "test_key", "commit", "source"),
)

ATTESTATIONS: Final = table(
    "attestations",
    number(),
    words(
        "repository", "commit", "hash", "catalog_hash", "origin", "attested_by", "at", "instant", "text", "signature"
    ),
    UniqueConstraint("repository", "hash"),
    Index(None, "repository", "commit"),
)

TIMERS: Final = table(
    "timers",
    words("repository", "id", key=True),
    words("kind", "subject", "due_at"),
    json_value("payload"),
    words("done_at"),
    Index(None, "repository", "done_at", "due_at"),
)
