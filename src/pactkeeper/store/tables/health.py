"""Sweeps, what they found, and the tasks that mend it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.tables.making import METADATA, json_value, number, part_of, whole, words

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
