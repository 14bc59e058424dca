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


THREADS: Final = Table(
    "threads",
    METADATA,
    number(),
    words("repository"),
    words("id"),
    words("channel"),
    words("place"),
    words("opened_by"),
    words("opened_at"),
    UniqueConstraint("repository", "id"),
)

THREAD_MESSAGES: Final = Table(
    "thread_messages",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    words("id"),
    whole("sequence"),
    words("author"),
    words("at"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "thread", "sequence"),
)

THREAD_DRAFTS: Final = Table(
    "thread_drafts",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    whole("version"),
    words("hash"),
    words("at"),
    json_value("text"),
    json_value("patches"),
    UniqueConstraint("repository", "thread", "version"),
)

THREAD_TITLES: Final = Table(
    "thread_titles",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    words("value"),
    words("permalink"),
    Index(None, "repository", "thread"),
)

THREAD_ASKS: Final = Table(
    "thread_asks",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    words("id"),
    whole("round"),
    words("asked_at"),
    words("closed_at"),
    words("closed_by"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id", "round"),
)

THREAD_CONSTRAINTS: Final = Table(
    "thread_constraints",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    words("key_name"),
    words("key"),
    words("value"),
    words("status"),
    words("at"),
    json_value("said"),
    Index(None, "repository", "key_name", "number"),
)

THREAD_EVENTS: Final = Table(
    "thread_events",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    words("id"),
    words("position"),
    words("state"),
    whole("run"),
    words("due_at"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "state", "thread", "position"),
)

THREAD_STATES: Final = Table(
    "thread_states",
    METADATA,
    words("repository", key=True),
    words("thread", key=True),
    json_value("text"),
)

THREAD_STEPS: Final = Table(
    "thread_steps",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    whole("run"),
    words("node"),
    words("at"),
    whole("milliseconds"),
    words("reason"),
    json_value("changed"),
    Index(None, "repository", "thread", "number"),
)

THREAD_POSTS: Final = Table(
    "thread_posts",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    words("key"),
    words("at"),
    words("said_at"),
    words("ref"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "key"),
    Index(None, "repository", "said_at", "number"),
)

THREAD_TICKETS: Final = Table(
    "thread_tickets",
    METADATA,
    number(),
    words("repository"),
    words("thread"),
    words("key"),
    words("state"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "key"),
)
