"""The board log for several hosts that write to the same boards: lines in the history they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import select, text

from pactkeeper.errors import BusyError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store.database import Database
from pactkeeper.store.history import insert
from pactkeeper.store.lease import lease
from pactkeeper.store.tables import BOARD_LINES

_b = BOARD_LINES.c


@dataclass(frozen=True, slots=True)
class StoredLog:
    """The log of one board; a process that has lost its job can't append. Positions are row numbers."""

    database: Database
    board: str

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the board against other processes on any host until the block exits; raises BusyError."""
        taken = False
        try:
            with lease(self.database, f"board {self.board}", folder=Path()):
                taken = True
                yield
        except BusyError:
            if taken:
                raise
            raise BusyError(
                f"another process writes to the board {self.board!r}; try again when it has ended"
            ) from None

    def append(self, line: Mapping[str, JsonValue]) -> None:
        """Append a line; raises HandedOver."""
        with self.database.begin() as connection:
            insert(connection, BOARD_LINES, [{"board": self.board, "line": dict(line)}])

    def after(self, position: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """Return the lines after a position, and the number of the last one."""
        query = select(_b.number, _b.line).where(_b.board == self.board, _b.number > position).order_by(_b.number)
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        return [row.line for row in rows], rows[-1].number if rows else position


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
    """Rate limits shared through a history on a server; a process that has lost its job gets no turn."""

    database: Database

    def turn(self, target: str, every: float) -> float:
        """Reserve the next turn and return the seconds until it comes; raises HandedOver."""
        with self.database.begin() as connection:
            found = connection.execute(_TURN, {"target": target, "every": round(every * 1000)}).scalar()
        return max(0, found or 0) / 1000

    def hold(self, target: str, seconds: float) -> None:
        """Grant no turn for this many seconds."""
        with self.database.begin() as connection:
            connection.execute(_HOLD, {"target": target, "every": round(seconds * 1000)})
