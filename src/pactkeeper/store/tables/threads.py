"""Threads, their drafts, and the tickets made from them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table, UniqueConstraint

from pactkeeper.store.columns import METADATA, json_value, number, whole, words

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
