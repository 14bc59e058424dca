"""The lease on a repository: one process at a time runs on it, and a dead process's lease is free at once.

With a SQLite history it is a file lock, which the system releases; on Postgres it is an advisory lock, which ends with
its session.
"""

from __future__ import annotations

import fcntl
import hashlib
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, cast

from sqlalchemy import Connection, text

from pactkeeper.errors import BusyError, StoreUnavailable, WriteFailed
from pactkeeper.store.database import Database
from pactkeeper.store.driver import translated
from pactkeeper.store.history import History
from pactkeeper.store.owner import MARK, here, in_children

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
    return owner_of_file(folder) if database.address.path else owner_of_session(database, repository)


def is_held(database: Database, repository: str, *, folder: Path) -> bool:
    """Whether any process runs on a repository; if not, a run marked as running belongs to a dead process."""
    return bool(holder(database, repository, folder=folder))


def _take(database: Database, repository: str, folder: Path) -> Held | None:
    return take_file(folder) if database.address.path else take_session(database, repository)


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
        return take_file(folder)
    return take_session(history.database, f"{history.repository} thread {thread}")


LEASE_FILE: Final = "run.lock"
_LONGEST: Final = 400


@dataclass(slots=True, weakref_slot=True)
class FileLease:
    """A lock held as long as its handle is open."""

    handle: int

    def ensure(self) -> None:
        """Do nothing: a living process can't lose a file lock."""

    def release(self) -> None:
        """Release the lock; idempotent."""
        handle, self.handle = self.handle, -1
        if handle >= 0:
            os.close(handle)


def take_file(folder: Path) -> FileLease | None:
    """Take the lease and record the owner; None if another process or thread holds it."""
    handle = _locked(folder)
    if handle is None:
        return None
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{here()}\n".encode(), 0)
    except OSError as error:
        os.close(handle)
        raise _untaken(folder, error) from error
    found = FileLease(handle)
    # A forked worker that outlives a killed parent would keep the lock through its copy of the handle.
    in_children(found, FileLease.release)
    return found


def owner_of_file(folder: Path) -> str:
    """Return the holder of the lease as `host:pid`; empty if it is free."""
    try:
        handle = os.open(folder / LEASE_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _untaken(folder, error) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(handle, _LONGEST).decode("utf-8", "replace").strip() or "another process"
    else:
        return ""
    finally:
        os.close(handle)


def _locked(folder: Path) -> int | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LEASE_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise _untaken(folder, error) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    return handle


def _untaken(folder: Path, error: OSError) -> WriteFailed:
    why = f"the lease {str(folder / LEASE_FILE)!r} cannot be taken: {error.strerror}"
    return WriteFailed(f"{why}; allow writing, or remove what is there")


_TAKE = text("SELECT pg_try_advisory_lock(:key)")
# A lock on a 64-bit number is listed as two halves; every session may read another's application_name.
_OWNER = text(
    "SELECT activity.application_name FROM pg_locks AS lock JOIN pg_stat_activity AS activity USING (pid) "
    "WHERE lock.locktype = 'advisory' AND lock.granted AND lock.objsubid = 1 AND lock.database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND lock.classid::bigint = (:key >> 32) & 4294967295 AND lock.objid::bigint = :key & 4294967295"
)


@dataclass(slots=True, weakref_slot=True)
class SessionLease:
    """A lock held as long as its session lives."""

    database: Database
    connection: Connection

    def ensure(self) -> None:
        """Raise StoreUnavailable if the session has ended: another process may be running by now."""
        try:
            self._say("SELECT 1")
        except StoreUnavailable as error:
            raise StoreUnavailable(
                f"the lease on this repository was lost ({error}); what was stored is kept, run again to go on"
            ) from error

    def release(self) -> None:
        """Release the lock; idempotent, and harmless if the session has already ended."""
        with suppress(StoreUnavailable):
            self._say("SELECT pg_advisory_unlock_all()")
        if not self.connection.closed:
            self.connection.invalidate()
            self.connection.close()

    def _say(self, statement: str) -> None:
        """Run a statement in this very session: after its end, SQLAlchemy would open another one without the lock."""
        if self.connection.closed or self.connection.invalidated:
            raise StoreUnavailable(f"the session on {self.database.address.name} has ended")
        with translated(self.database.address):
            self.connection.execute(text(statement))

    def let_go(self) -> None:
        """Close a copy of the session's socket without notifying the server: the session is the parent process's."""
        nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        os.dup2(nothing, cast("Any", self.connection.connection.dbapi_connection).pgconn.socket, inheritable=False)
        os.close(nothing)


def take_session(database: Database, repository: str) -> SessionLease | None:
    """Take the lease; None if another session holds it."""
    with translated(database.address):
        connection = database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            taken = connection.execute(_TAKE, {"key": key_of_repository(repository)}).scalar()
        except BaseException:
            connection.close()
            raise
    if taken:
        found = SessionLease(database, connection)
        # A forked worker that outlives a killed parent would keep the session alive through its copy of the socket.
        in_children(found, SessionLease.let_go)
        return found
    connection.close()
    return None


def owner_of_session(database: Database, repository: str) -> str:
    """Return the holder of the lease as `host:pid`; empty if it is free."""
    found: str | None = database.scalar(_OWNER, {"key": key_of_repository(repository)})
    return "" if found is None else found.removeprefix(MARK) or "another process"


def key_of_repository(repository: str) -> int:
    """Return the signed 64-bit number that identifies a repository among a database's advisory locks."""
    return int.from_bytes(hashlib.sha256(f"pactkeeper {repository}".encode()).digest()[:8], "big", signed=True)
