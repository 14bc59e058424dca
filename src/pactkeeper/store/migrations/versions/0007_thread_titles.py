"""The titles of drafts by themselves, so that a draft is held against others without reading them whole."""

from __future__ import annotations

import json
from collections.abc import Iterator

from alembic import op
from sqlalchemy import Index, Table, text

from pactkeeper.store.migrations.frozen import number, tables, words

revision = "0007"
down_revision = "0006"

TABLES = tables()
_NEWEST = text(
    "SELECT repository, thread, text FROM thread_drafts AS one WHERE version = "
    "(SELECT max(version) FROM thread_drafts AS own WHERE own.repository = one.repository AND own.thread = one.thread)"
    " ORDER BY number"
)


def upgrade() -> None:
    """Make the table, and fill it from the newest draft of every thread."""
    TABLES.create_all(op.get_bind(), checkfirst=False)
    op.bulk_insert(TITLES, [*_titles()])


def downgrade() -> None:
    """Drop the table; the drafts have all that it holds."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)


def _titles() -> Iterator[dict[str, str]]:
    for row in op.get_bind().execute(_NEWEST):
        title = json.loads(row.text).get("title") or {"conflict": []}
        for side in title.get("conflict", [title]):
            known = {"repository": row.repository, "thread": row.thread}
            yield {**known, "value": side["value"], "permalink": side["permalink"]}


TITLES = Table(
    "thread_titles",
    TABLES,
    number(),
    words("repository"),
    words("thread"),
    words("value"),
    words("permalink"),
    Index(None, "repository", "thread"),
)
