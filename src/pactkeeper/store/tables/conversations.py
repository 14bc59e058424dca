"""Conversations, artifacts found in them, knowledge, and actions."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.columns import METADATA, json_value, large, number, part_of, whole, words

CONVERSATIONS: Final = Table(
    "conversations",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("source"),
    words("file"),
    words("session"),
    words("kind"),
    words("cwd"),
    words("branch"),
    words("first_at"),
    words("last_at"),
    whole("entries"),
    whole("replays"),
    large("offset"),
    words("uuid"),
    words("inode"),
    large("size"),
    words("head"),
    whole("head_length"),
    words("tail"),
    json_value("context"),
    json_value("gaps"),
    whole("gap_count"),
    words("read_at"),
    UniqueConstraint("repository", "id"),
)

# Every record read, so that a fork or a resumed session does not bring it twice.
ENTRIES: Final = Table(
    "entries",
    METADATA,
    words("repository", key=True),
    words("uuid_key", key=True),
    part_of("conversations", "conversation"),
    large("first_byte"),
    large("end_byte"),
    words("role"),
    words("at"),
    Index(None, "conversation", "first_byte"),
)

ARTIFACTS: Final = Table(
    "artifacts",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("fingerprint"),
    part_of("conversations", "conversation"),
    words("type"),
    words("title"),
    words("summary"),
    words("domain"),
    words("at"),
    words("value"),
    words("persistence"),
    words("evidence"),
    words("target"),
    words("change"),
    whole("strength"),
    whole("explicitness"),
    words("identity"),
    json_value("entities"),
    json_value("facts"),
    json_value("excerpts"),
    words("found_at"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "type", "number"),
    Index(None, "repository", "id"),
)

# Each sighting of an artifact; conversations that show the same one corroborate it.
SIGHTINGS: Final = Table(
    "sightings",
    METADATA,
    part_of("artifacts", "artifact", key=True),
    part_of("conversations", "conversation", key=True),
    words("entry_key", key=True),
    words("at"),
    Index(None, "conversation"),
)

KNOWLEDGE: Final = Table(
    "knowledge",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("kind"),
    words("subject_key"),
    words("subject"),
    words("text"),
    words("predicate"),
    words("object"),
    words("domain"),
    words("since"),
    words("until"),
    words("by"),
    words("quote"),
    words("at"),
    words("conversation"),
    words("artifact"),
    words("entry"),
    json_value("span"),
    words("recorded_at"),
    UniqueConstraint("repository", "id"),
)

KNOWLEDGE_MARKS: Final = Table(
    "knowledge_marks",
    METADATA,
    number(),
    words("repository"),
    words("item"),
    words("kind"),
    words("other"),
    words("reason"),
    words("by"),
    words("at"),
    Index(None, "repository", "item"),
)

RECONCILIATIONS: Final = Table(
    "reconciliations",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("at"),
    words("text"),
    Index(None, "repository", "id"),
)

SETTLEMENTS: Final = Table(
    "settlements",
    METADATA,
    number(),
    words("repository"),
    words("question"),
    json_value("value"),
    words("answerer"),
    words("by"),
    words("at"),
    Index(None, "repository", "question"),
)

# The state of an action, by the id of its op; its steps are appended and never changed.
DEEDS: Final = Table(
    "deeds",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("fingerprint"),
    words("artifact"),
    words("verb"),
    words("standing"),
    whole("automatic"),
    words("began_at"),
    words("at"),
    words("seen_at"),
    json_value("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "standing", "number"),
)

DEED_STEPS: Final = Table(
    "deed_steps",
    METADATA,
    number(),
    words("repository"),
    words("action"),
    words("step"),
    words("at"),
    words("by"),
    words("reason"),
    json_value("written", nullable=True),
    Index(None, "repository", "action", "number"),
)
