"""Users of a server, their tokens, the audit log, and the served repositories.

Also what hosts share: workers and their jobs, receipts, board logs, and rate limits. The jobs themselves are rows in
the queue's own tables.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table

from pactkeeper.store.columns import METADATA, json_value, large, number, whole, words

ACCOUNTS: Final = Table(
    "accounts",
    METADATA,
    words("name", key=True),
    words("person"),
    words("role"),
    words("password"),
    words("subject"),
    words("created_at"),
    words("disabled_at"),
    Index(None, "subject"),
)

TOKENS: Final = Table(
    "tokens",
    METADATA,
    words("id", key=True),
    words("hash"),
    words("account"),
    words("label"),
    words("kind"),
    words("role"),
    words("server_repository"),
    words("created_at"),
    words("expires_at"),
    words("revoked_at"),
    Index(None, "hash", unique=True),
    Index(None, "account"),
)

AUDIT: Final = Table(
    "audit",
    METADATA,
    number(),
    words("at"),
    words("account"),
    words("kind"),
    words("action"),
    words("subject"),
    words("outcome"),
    words("address"),
    Index(None, "account", "number"),
)

SERVER_REPOSITORIES: Final = Table(
    "server_repositories",
    METADATA,
    words("name", key=True),
    words("place"),
    whole("depth"),
    whole("partial"),
    whole("shared"),
    words("most"),
    words("added_at"),
    words("fetched_at"),
    words("commit"),
    words("trouble"),
)

MEMBERS: Final = Table(
    "members",
    METADATA,
    words("server_repository", key=True),
    words("account", key=True),
    words("role"),
    Index(None, "account"),
)


WORKERS: Final = Table(
    "workers",
    METADATA,
    words("id", key=True),
    words("host"),
    whole("process"),
    words("version"),
    words("state"),
    large("began"),
    large("beat"),
)

JOB_HANDOVERS: Final = Table(
    "job_handovers",
    METADATA,
    number(),
    words("job"),
    words("worker"),
    large("at"),
    Index(None, "job"),
)

JOB_TURNS: Final = Table(
    "job_turns",
    METADATA,
    words("subject", key=True),
    words("job"),
    words("token"),
)

JOB_RECEIPTS: Final = Table(
    "job_receipts",
    METADATA,
    words("job", key=True),
    json_value("said"),
)

BOARD_LINES: Final = Table(
    "board_lines",
    METADATA,
    number(),
    words("board"),
    json_value("line"),
    Index(None, "board"),
)

PACES: Final = Table(
    "paces",
    METADATA,
    words("target", key=True),
    large("free_at"),
)
