"""Schema revisions: those this program knows, and the one a database is at."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, inspect, text

VERSION_TABLE: Final = "pactkeeper_revision"
REVISIONS: Final[tuple[str, ...]] = ("0001",)
HEAD: Final = REVISIONS[-1]


def stored_revision(connection: Connection) -> str | None:
    """Return the revision of a database; None if it holds no history yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found: str | None = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608 - a constant
    return found
