"""Conversations, artifacts found in them, knowledge, and actions."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, UniqueConstraint

from pactkeeper.store.columns import json_value, large, number, part_of, table, whole, words

CONVERSATIONS: Final = table(
    "conversations",
    number(),
    words("repository", "id", "source", "file", "session", "kind", "cwd", "branch", "first_at", "last_at"),
    whole("entries", "replays"),
    large("offset"),
    words("uuid", "inode"),
    large("size"),
    words("head"),
    whole("head_length"),
    words("tail"),
    json_value("context", "gaps"),
    whole("gap_count"),
    words("read_at"),
    UniqueConstraint("repository", "id"),
)

# Every record read, so that a fork or a resumed session does not bring it twice.
ENTRIES: Final = table(
    "entries",
    words("repository", "uuid_key", key=True),
    part_of("conversations", "conversation"),
    large("first_byte", "end_byte"),
    words("role", "at"),
    Index(None, "conversation", "first_byte"),
)

ARTIFACTS: Final = table(
    "artifacts",
    number(),
    words("repository", "id", "fingerprint"),
    part_of("conversations", "conversation"),
    words("type", "title", "summary", "domain", "at", "value", "persistence", "evidence", "target", "change"),
    whole("strength", "explicitness"),
    words("identity"),
    json_value("entities", "facts", "excerpts"),
    words("found_at"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "type", "number"),
    Index(None, "repository", "id"),
)

# Each sighting of an artifact; conversations that show the same one corroborate it.
SIGHTINGS: Final = table(
    "sightings",
    part_of("artifacts", "artifact", key=True),
    part_of("conversations", "conversation", key=True),
    words("entry_key", key=True),
    words("at"),
    Index(None, "conversation"),
)

KNOWLEDGE: Final = table(
    "knowledge",
    number(),
    words(
        "repository",
        "id",
        "kind",
        "subject_key",
        "subject",
        "text",
        "predicate",
        "object",
        "domain",
        "since",
        "until",
        "by",
        "quote",
        "at",
        "conversation",
        "artifact",
        "entry",
    ),
    json_value("span"),
    words("recorded_at"),
    UniqueConstraint("repository", "id"),
)

KNOWLEDGE_MARKS: Final = table(
    "knowledge_marks",
    number(),
    words("repository", "item", "kind", "other", "reason", "by", "at"),
    Index(None, "repository", "item"),
)

RECONCILIATIONS: Final = table(
    "reconciliations",
    number(),
    words("repository", "id", "at", "text"),
    Index(None, "repository", "id"),
)

SETTLEMENTS: Final = table(
    "settlements",
    number(),
    words("repository", "question"),
    json_value("value"),
    words("answerer", "by", "at"),
    Index(None, "repository", "question"),
)

# The state of an action, by the id of its op; its steps are appended and never changed.
DEEDS: Final = table(
    "deeds",
    number(),
    words("repository", "id", "fingerprint", "artifact", "verb", "standing"),
    whole("automatic"),
    words("began_at", "at", "seen_at"),
    json_value("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "standing", "number"),
)

DEED_STEPS: Final = table(
    "deed_steps",
    number(),
    words("repository", "action", "step", "at", "by", "reason"),
    json_value("written", nullable=True),
    Index(None, "repository", "action", "number"),
)


THREADS: Final = table(
    "threads",
    number(),
    words("repository", "id", "channel", "place", "opened_by", "opened_at", "root"),
    UniqueConstraint("repository", "id"),
)

THREAD_MESSAGES: Final = table(
    "thread_messages",
    number(),
    words("repository", "thread", "id"),
    whole("sequence"),
    words("author", "at"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "thread", "sequence"),
)

THREAD_DRAFTS: Final = table(
    "thread_drafts",
    number(),
    words("repository", "thread"),
    whole("version"),
    words("hash", "at"),
    json_value("text", "patches"),
    UniqueConstraint("repository", "thread", "version"),
)

THREAD_TITLES: Final = table(
    "thread_titles",
    number(),
    words("repository", "thread", "value", "permalink"),
    Index(None, "repository", "thread"),
)

THREAD_ASKS: Final = table(
    "thread_asks",
    number(),
    words("repository", "thread", "id"),
    whole("round"),
    words("asked_at", "closed_at", "closed_by"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id", "round"),
)

THREAD_CONSTRAINTS: Final = table(
    "thread_constraints",
    number(),
    words("repository", "thread", "key_name", "key", "value", "status", "at"),
    json_value("said"),
    Index(None, "repository", "key_name", "number"),
)

THREAD_EVENTS: Final = table(
    "thread_events",
    number(),
    words("repository", "thread", "id", "position", "state"),
    whole("run"),
    words("due_at"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "state", "thread", "position"),
)

THREAD_STATES: Final = table(
    "thread_states",
    words("repository", "thread", key=True),
    json_value("text"),
)

THREAD_STEPS: Final = table(
    "thread_steps",
    number(),
    words("repository", "thread"),
    whole("run"),
    words("node", "at"),
    whole("milliseconds"),
    words("reason"),
    json_value("changed"),
    Index(None, "repository", "thread", "number"),
)

THREAD_POSTS: Final = table(
    "thread_posts",
    number(),
    words("repository", "thread", "key", "at", "said_at", "ref"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "key"),
    Index(None, "repository", "said_at", "number"),
)

THREAD_TICKETS: Final = table(
    "thread_tickets",
    number(),
    words("repository", "thread", "key", "state"),
    json_value("text"),
    UniqueConstraint("repository", "thread", "key"),
)
