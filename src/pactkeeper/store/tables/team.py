"""Who uses a server, by which tokens, what they did, and the repositories that it serves."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table

from pactkeeper.store.tables.making import METADATA, number, whole, words

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
