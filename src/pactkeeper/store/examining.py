"""Looking at a database without changing it: whether it answers, which revision it has, and what time it is there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import text

from pactkeeper.store.address import address
from pactkeeper.store.database import Database
from pactkeeper.store.engine import make_engine
from pactkeeper.store.revision import HEAD, REVISIONS, stored_revision

_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Examined:
    """A database that answered; `fits` where this program can use it, `clock` is the server's, if it is one."""

    words: str
    fits: bool
    clock: datetime | None


def examine(url: str) -> Examined:
    """Connect and look; raises UsageError, and as `Database.read` does."""
    place = address(url)
    if place.path is not None and not place.path.is_file():
        return Examined(f"{place.name}, made on first use", fits=True, clock=None)
    database = Database(make_engine(place, _PATIENCE), place)
    try:
        with database.read() as connection:
            found = stored_revision(connection)
            clock = None if place.path else connection.execute(text("SELECT now()")).scalar_one().astimezone(UTC)
    finally:
        database.close()
    state = "empty" if found is None else f"revision {found}" + ("" if found == HEAD else f", becomes {HEAD} on use")
    known = found is None or found in REVISIONS
    return Examined(f"{place.name}, {state}" if known else f"{place.name}, revision {found!r} is unknown", known, clock)
