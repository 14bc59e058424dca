"""Users of a server, their tokens, the audit log, and the served repositories.

Also what hosts share: workers and their jobs, receipts, board logs, and rate limits. The jobs themselves are rows in
the queue's own tables.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index

from pactkeeper.store.columns import json_value, large, number, table, whole, words

ACCOUNTS: Final = table(
    "accounts",
    words("name", key=True),
    words("person", "role", "password", "subject", "created_at", "disabled_at"),
    Index(None, "subject"),
)

TOKENS: Final = table(
    "tokens",
    words("id", key=True),
    words("hash", "account", "label", "kind", "role", "server_repository", "created_at", "expires_at", "revoked_at"),
    Index(None, "hash", unique=True),
    Index(None, "account"),
)

AUDIT: Final = table(
    "audit",
    number(),
    words("at", "account", "kind", "action", "subject", "outcome", "address"),
    Index(None, "account", "number"),
)

SERVER_REPOSITORIES: Final = table(
    "server_repositories",
    words("name", key=True),
    words("place"),
    whole("depth", "partial", "shared"),
    words("most", "added_at", "fetched_at", "commit", "trouble"),
)

MEMBERS: Final = table(
    "members",
    words("server_repository", "account", key=True),
    words("role"),
    Index(None, "account"),
)


WORKERS: Final = table(
    "workers",
    words("id", key=True),
    words("host"),
    whole("process"),
    words("version", "state"),
    large("began", "beat"),
)

JOB_HANDOVERS: Final = table(
    "job_handovers",
    number(),
    words("job", "worker"),
    large("at"),
    Index(None, "job"),
)

JOB_TURNS: Final = table(
    "job_turns",
    words("subject", key=True),
    words("job", "token"),
)

JOB_RECEIPTS: Final = table(
    "job_receipts",
    words("job", key=True),
    json_value("said"),
)

BOARD_LINES: Final = table(
    "board_lines",
    number(),
    words("board"),
    json_value("line"),
    Index(None, "board"),
)

PACES: Final = table(
    "paces",
    words("target", key=True),
    large("free_at"),
)
