"""What a run of a thread stands on: its history, its channel, its rules, the board, and the pact beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from pactkeeper.boards.port import Board, Reservations
from pactkeeper.intent.thread_run import Ticket
from pactkeeper.intent.ticket import Draft, Thread
from pactkeeper.ledger.canonical import digest
from pactkeeper.store.history import History
from pactkeeper.tickets.channels.port import Channel
from pactkeeper.tickets.judging import Rules

WINDOW: Final = timedelta(seconds=30)
REMINDER: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Pace:
    """For how long a thread must be quiet before it is heard, and after what time it is reminded of a question."""

    window: timedelta = WINDOW
    reminder: timedelta = REMINDER


@dataclass(frozen=True, slots=True)
class Proposed:
    """Atoms that stand for criteria, by the criterion's words, and why some criterion has none."""

    atoms: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadGround:
    """Everything outside of a thread; `folder` is where leases and checkpoints of threads are.

    `checkpoints` is the URL of a database where they are not in files. `propose` declares atoms for the criteria of a
    ticket; doing it twice is doing it once.
    """

    history: History
    folder: Path
    now: Callable[[], datetime]
    channels: Mapping[str, Channel]
    rules: Rules
    board: Callable[[], tuple[Board, Reservations]]
    propose: Callable[[Draft, Ticket], Proposed] = lambda _draft, _ticket: Proposed()
    pace: Pace = field(default_factory=Pace)
    checkpoints: str = ""
    log: Path | None = None
    spans: bool = False

    def at(self) -> str:
        """Now, as it is stored."""
        return self.now().isoformat(timespec="milliseconds")

    def place(self, thread: str) -> Path:
        """The folder of a thread, whatever its id is made of."""
        return self.folder / digest([ascii(thread)])[3:27]

    def channel(self, thread: Thread) -> Channel | None:
        """The channel that a thread is in; None where this process does not serve it."""
        return self.channels.get(thread.channel)
