"""The lease on a repository: one process at a time runs on it, and a dead process's lease is free at once.

With a SQLite history it is a file lock, which the system releases; on Postgres it is an advisory lock, which ends with
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
# Checking for the holder takes a file's lock for a moment, so a single failure proves nothing.
_TRIES: Final = 3


class Held(Protocol):
    """A lease held by this process."""

    def ensure(self) -> None:
        """Raise StoreUnavailable if the lease was lost: another process may be running by now."""

    def release(self) -> None:
        """Release the lease."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many seconds to wait for another process (None: indefinitely), and a callback for messages about it."""

    seconds: float | None = 0.0
    tell: Callable[[str], None] = lambda _: None


@contextmanager
def lease(database: Database, repository: str, *, folder: Path, waiting: Waiting = Waiting()) -> Iterator[Held]:
    """Hold the lease on a repository for the block; `folder` is its state folder.

    Raises BusyError, naming the running process, if the lease isn't free in time, and what `Database.read` raises.
    """
    take = partial(_take, database, repository, folder)
    held = take() or _wait(take, partial(holder, database, repository, folder=folder), waiting)
    try:
        yield held
    finally:
        held.release()


def holder(database: Database, repository: str, *, folder: Path) -> str:
    """Return the process running on a repository as `host:pid`; empty if there is none."""
    return file_lease.owner(folder) if database.address.path else session_lease.owner(database, repository)


def is_held(database: Database, repository: str, *, folder: Path) -> bool:
    """Whether any process runs on a repository; if not, a run marked as running belongs to a dead process."""
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
    """Take the lease on a thread, whose own folder is `folder`; None if somebody else holds it."""
    if history.database.address.path:
        return file_lease.take(folder)
    return session_lease.take(history.database, f"{history.repository} thread {thread}")
