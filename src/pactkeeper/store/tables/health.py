"""Sweeps, their findings and fix tasks; also test outcomes, attestations and timers."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.columns import METADATA, json_value, number, part_of, whole, words

SWEEPS: Final = Table(
    "sweeps",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("commit"),
    words("branch"),
    words("started_at"),
    words("ended_at"),
    whole("stale"),
    words("infrastructure"),
    json_value("tasks"),
    json_value("only", nullable=True),
    UniqueConstraint("repository", "id"),
)

SWEEP_RESULTS: Final = Table(
    "sweep_results",
    METADATA,
    part_of("sweeps", "sweep", key=True),
    whole("position", key=True),
    words("check_name"),
    words("category"),
    words("verdict"),
    words("reason"),
    json_value("code", nullable=True),
    whole("milliseconds"),
)

HEALTH_FINDINGS: Final = Table(
    "health_findings",
    METADATA,
    number(),
    words("repository"),
    words("fingerprint"),
    words("state"),
    words("first_sweep"),
    words("last_sweep"),
    json_value("text"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "state", "number"),
)

FIX_TASKS: Final = Table(
    "fix_tasks",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("status"),
    json_value("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)


TEST_OUTCOMES: Final = Table(
    "test_outcomes",
    METADATA,
    number(),
    words("repository"),
    words("test_key"),
    words("commit"),
    words("source"),
    words("test_id"),
    words("body_hash"),
    words("file_blob"),
    words("outcome"),
    words("at"),
    words("instant"),
    UniqueConstraint("repository", "test_key", "commit", "source"),
)

ATTESTATIONS: Final = Table(
    "attestations",
    METADATA,
    number(),
    words("repository"),
    words("commit"),
    words("hash"),
    words("catalog_hash"),
    words("origin"),
    words("attested_by"),
    words("at"),
    words("instant"),
    words("text"),
    words("signature"),
    UniqueConstraint("repository", "hash"),
    Index(None, "repository", "commit"),
)

TIMERS: Final = Table(
    "timers",
    METADATA,
    words("repository", key=True),
    words("id", key=True),
    words("kind"),
    words("subject"),
    words("due_at"),
    json_value("payload"),
    words("done_at"),
    Index(None, "repository", "done_at", "due_at"),
)
