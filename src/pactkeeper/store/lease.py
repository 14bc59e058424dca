"""The lease on a repository: one process at a time runs on it, and that of a dead process is free at once.

Beside a SQLite history it is a lock on a file, which the system releases; on Postgres an advisory lock, which ends with
its session.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from pactkeeper.errors import BusyError
from pactkeeper.store import file_lease, session_lease
from pactkeeper.store.database import Database
from pactkeeper.store.history import History

_PAUSE: Final = 0.1
# Whoever asks about a file's lock takes it for a moment, so one refusal is not believed.
_TRIES: Final = 3


class Held(Protocol):
    """A lease that this process has."""

    def ensure(self) -> None:
        """Raise StoreUnavailable where it was lost on the way: another process may run by now."""

    def release(self) -> None:
        """Let the next one in."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long to wait for another process, in seconds (None: without end), and whom to tell who it is."""

    seconds: float | None = 0.0
    tell: Callable[[str], None] = lambda _: None


@contextmanager
def lease(database: Database, repository: str, *, folder: Path, waiting: Waiting = Waiting()) -> Iterator[Held]:
    """Run alone on a repository while inside; `folder` is its state folder.

    Raises BusyError, naming the process that runs, where the lease is not free in time, and as `Database.read` does.
    """
    take = partial(_take, database, repository, folder)
    held = take() or _wait(take, partial(holder, database, repository, folder=folder), waiting)
    try:
        yield held
    finally:
        held.release()


def holder(database: Database, repository: str, *, folder: Path) -> str:
    """Who runs on a repository right now, as `host:pid`; empty where nobody does."""
    return file_lease.owner(folder) if database.address.path else session_lease.owner(database, repository)


def is_held(database: Database, repository: str, *, folder: Path) -> bool:
    """Whether anybody runs on a repository right now; a run that says so while this is false was left by the dead."""
    return bool(holder(database, repository, folder=folder))


def _take(database: Database, repository: str, folder: Path) -> Held | None:
    return file_lease.take(folder) if database.address.path else session_lease.take(database, repository)


def _wait(take: Callable[[], Held | None], owner: Callable[[], str], waiting: Waiting) -> Held:
    end = math.inf if waiting.seconds is None else time.monotonic() + waiting.seconds
    told = False
    tries = 1
    while True:
        time.sleep(_PAUSE)
        held = take()
        if held:
            return held
        tries += 1
        other = owner() or "another process"
        if time.monotonic() >= end and tries >= _TRIES:
            raise BusyError(f"{other} runs on this repository; wait for it to end, or end it with: pk runs cancel")
        if not told:
            waiting.tell(f"waiting for {other}, which runs on this repository")
            told = True


def take_thread(history: History, thread: str, *, folder: Path) -> Held | None:
    """Take the lease on a thread, whose own folder `folder` is; None where somebody else has it."""
    if history.database.address.path:
        return file_lease.take(folder)
    return session_lease.take(history.database, f"{history.repository} thread {thread}")
