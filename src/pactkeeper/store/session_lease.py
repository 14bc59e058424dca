"""The lease in a Postgres history: an advisory lock in a dedicated session."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, text

from pactkeeper.errors import StoreUnavailable
from pactkeeper.store.database import Database
from pactkeeper.store.failures import translated
from pactkeeper.store.owner import MARK, in_children

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


def take(database: Database, repository: str) -> SessionLease | None:
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


def owner(database: Database, repository: str) -> str:
    """Return the holder of the lease as `host:pid`; empty if it is free."""
    with database.read() as connection:
        found: str | None = connection.execute(_OWNER, {"key": key_of_repository(repository)}).scalar()
    return "" if found is None else found.removeprefix(MARK) or "another process"


def key_of_repository(repository: str) -> int:
    """Return the signed 64-bit number that identifies a repository among a database's advisory locks."""
    return int.from_bytes(hashlib.sha256(f"pactkeeper {repository}".encode()).digest()[:8], "big", signed=True)
