"""What was begun and done on boards, where several hosts write to them: lines in the history that they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from pactkeeper.errors import BusyError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store.bulk import insert
from pactkeeper.store.database import Database
from pactkeeper.store.lease import lease
from pactkeeper.store.tables import BOARD_LINES

_b = BOARD_LINES.c


@dataclass(frozen=True, slots=True)
class StoredLog:
    """The lines about one board; a process whose job is another's by now adds none. Its positions are numbers."""

    database: Database
    board: str

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the board against other processes, on whichever host, until this session ends; raises BusyError."""
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
        """Add a line; raises HandedOver."""
        with self.database.begin() as connection:
            insert(connection, BOARD_LINES, [{"board": self.board, "line": dict(line)}])

    def after(self, position: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """The lines behind a position, and the number of the last one."""
        query = select(_b.number, _b.line).where(_b.board == self.board, _b.number > position).order_by(_b.number)
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        return [row.line for row in rows], rows[-1].number if rows else position
