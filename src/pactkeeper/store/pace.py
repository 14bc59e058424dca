"""Turns at a target that all hosts share, by the clock of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import text

from pactkeeper.store.database import Database

_NOW: Final = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
_TURN: Final = text(
    f"INSERT INTO paces (target, free_at) VALUES (:target, {_NOW} + :every) "  # noqa: S608 - a constant
    f"ON CONFLICT (target) DO UPDATE SET free_at = greatest(paces.free_at, {_NOW}) + :every "
    f"RETURNING free_at - :every - {_NOW}"
)
_HOLD: Final = text(
    f"INSERT INTO paces (target, free_at) VALUES (:target, {_NOW} + :every) "  # noqa: S608 - likewise
    f"ON CONFLICT (target) DO UPDATE SET free_at = greatest(paces.free_at, {_NOW} + :every)"
)


@dataclass(frozen=True, slots=True)
class SharedPace:
    """The turns in a history on a server; a process whose job is another's by now gets none."""

    database: Database

    def turn(self, target: str, every: float) -> float:
        """Take the next turn; the seconds until it comes. Raises HandedOver."""
        with self.database.begin() as connection:
            found = connection.execute(_TURN, {"target": target, "every": round(every * 1000)}).scalar()
        return max(0, found or 0) / 1000

    def hold(self, target: str, seconds: float) -> None:
        """Give out no turn for so long."""
        with self.database.begin() as connection:
            connection.execute(_HOLD, {"target": target, "every": round(seconds * 1000)})
