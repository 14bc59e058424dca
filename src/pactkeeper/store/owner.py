"""How this process identifies itself as a holder of locks and leases, and its database engines."""

from __future__ import annotations

import os
import socket
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.util import LRUCache

from pactkeeper.errors import BusyError, HandedOver, StoreUnavailable
from pactkeeper.store.driver import Address, address, translated

MARK: Final = "pactkeeper "
_LONGEST: Final = 63  # of an application_name; Postgres truncates the rest


def here() -> str:
    """Return this process as `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"


def job_session(token: str) -> str:
    """Return the name of every database session of a job's process, so that a successor can end them."""
    return f"{MARK}job {token}"


def session_name() -> str:
    """Return the name of a Postgres session; a long host name is truncated, never the pid."""
    pid = f":{os.getpid()}"
    return MARK + socket.gethostname()[: _LONGEST - len(MARK) - len(pid)] + pid


Thing = TypeVar("Thing")


def in_children(thing: Thing, act: Callable[[Thing], object]) -> None:
    """Call `act` on a thing at the start of every process forked from this one, while the thing is alive."""
    known = weakref.ref(thing)

    def after_fork() -> None:
        copy = known()
        if copy is not None:
            act(copy)

    os.register_at_fork(after_in_child=after_fork)


# Marks a connection whose transactions write, for `_begin_sqlite`.
WRITES: Final = "pactkeeper_writes"
_FROZEN: Final = {"mode": "ro", "immutable": "1", "uri": "true"}
_DIALECT: Final = "sqlite.pactkeeper"
_COMPILED: Final[LRUCache[Any, Any]] = LRUCache(500)  # statements; compiling one takes longer than running it
_CONNECT_SECONDS: Final = 10
QUIET: Final = 2.0  # seconds of waiting that go unreported
Tell = Callable[[str], None]
# A silently broken connection is given up within half a minute, not after hours.
WATCHED: Final = {"tcp_user_timeout": 20_000, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}


def make_engine(address: Address, patience: float, *, session: str = "", tell: Tell | None = None) -> Engine:
    """Return an engine that waits `patience` seconds for locks; it connects on first use.

    `session` names its sessions on a server, by default after this process; `tell` is called on a long wait for a file.
    """
    engine = (
        _sqlite(address, patience, tell) if address.path else _postgres(address, patience, session or session_name())
    )
    # A forked child must not touch its parent's connections.
    in_children(engine, lambda copy: copy.dispose(close=False))
    return engine


class Sqlite(SQLiteDialect_pysqlite):
    """SQLite's dialect, equal across all engines of this process so that they share compiled statements."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register(_DIALECT, __name__, Sqlite.__name__)


def _sqlite(address: Address, patience: float, tell: Tell | None) -> Engine:
    url = (_frozen(address) or address.url).set(drivername=_DIALECT.replace(".", "+"))
    engine = create_engine(url, connect_args={"timeout": patience}, hide_parameters=True)
    engine.update_execution_options(compiled_cache=_COMPILED)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", lambda connection: _begin_sqlite(connection, address, patience, tell))
    return engine


def _frozen(address: Address) -> URL | None:
    """Return a URL that opens the file as immutable if its folder is read-only and its write-ahead log is empty.

    To read a history, SQLite creates files next to it unless it is opened as immutable.
    """
    path = address.path
    if path is None or not path.is_file() or os.access(path.parent, os.W_OK):
        return None
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return None
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query=_FROZEN)


def _prepare_sqlite(connection: Any, _: object) -> None:  # noqa: ANN401 - the driver's own
    """Leave transactions to SQLAlchemy: the driver begins them late, and never for a SELECT or DDL.

    With a write-ahead log, synchronous=NORMAL never corrupts the file; only a power failure may lose the last commits,
    whose content can be recomputed. FULL would wait for the disk at every test of a run.
    """
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin_sqlite(connection: Connection, address: Address, patience: float, tell: Tell | None) -> None:
    """Begin a transaction; a writer locks at once, since one that has read can no longer wait for another writer."""
    if not connection.get_execution_options().get(WRITES, False):
        connection.exec_driver_sql("BEGIN")
        return
    if tell is not None and patience > QUIET:
        if _begun_soon(connection, patience):
            return
        tell(f"waiting for another process, which writes to the history {address.name}")
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begun_soon(connection: Connection, patience: float) -> bool:
    """Try to take the lock within a time nobody notices, then restore the timeout."""
    driver: Any = connection.connection.driver_connection
    driver.execute(f"PRAGMA busy_timeout = {int(QUIET * 1000)}")
    try:
        driver.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:  # raised again by the longer attempt if it persists
        return False
    finally:
        driver.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
    return True


def _postgres(address: Address, patience: float, session: str) -> Engine:
    """Return an engine that never reuses a connection closed by its server, so it survives a restart.

    The socket shows this without a round trip to the server, which takes as long as most queries. JIT is off: compiling
    takes Postgres a quarter of a second, longer than any query runs.
    """
    settings = {"connect_timeout": _CONNECT_SECONDS, "application_name": session, **WATCHED}
    engine = create_engine(address.url, connect_args=settings, hide_parameters=True)

    def prepare(connection: Any, _: object) -> None:  # noqa: ANN401 - the driver's own
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {int(patience * 1000)}")
            cursor.execute("SET jit = off")
        connection.commit()

    event.listen(engine, "connect", prepare)
    event.listen(engine, "checkout", _refuse_closed)
    return engine


def _refuse_closed(connection: Any, *_: object) -> None:  # noqa: ANN401 - likewise
    """Raise InvalidatePoolError if the connection's server is gone, which also replaces connections of the same age."""
    try:
        connection.pgconn.consume_input()  # the server's last message, if any
        connection.pgconn.consume_input()  # the end of the stream
    except connection.OperationalError as error:
        raise InvalidatePoolError from error


_OWN: Final = text("SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid = :job AND owner_xid = :token FOR SHARE")
_PATIENCE: Final = 30.0
_LOOK: Final = 2.0  # seconds between checks of who holds the job


@dataclass(frozen=True, slots=True)
class Fence:
    """One execution of a job: its id, its token, and the queue's database."""

    job: str
    token: str
    url: str = field(repr=False)

    @classmethod
    def of(cls, text: str, url: str | None) -> Self | None:
        """Parse `JOB TOKEN`, as a worker passes it to a job's process; None if this process runs no job."""
        job, _, token = text.partition(" ")
        return cls(job, token, url) if token and url else None

    def ensure(self, connection: Connection) -> None:
        """Lock the job until the connection's transaction ends; raises HandedOver if the job was lost."""
        if connection.execute(_OWN, {"job": self.job, "token": self.token}).scalar() is None:
            raise HandedOver(
                f"job {self.job} was handed to another worker, or cancelled; nothing more is written by this one"
            )

    def wait_until_lost(self) -> None:
        """Return once the job is lost; while the database is away nobody can tell, and nothing can be written."""
        place = address(self.url)
        engine = make_engine(place, _PATIENCE)
        while True:
            time.sleep(_LOOK)
            with suppress(StoreUnavailable, BusyError), translated(place), engine.begin() as connection:
                try:
                    self.ensure(connection)
                except HandedOver:
                    return

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the job while writing somewhere other than its database."""
        place = address(self.url)
        engine = make_engine(place, _PATIENCE, session=job_session(self.token))
        try:
            with translated(place), engine.begin() as connection:
                self.ensure(connection)
                yield
        finally:
            engine.dispose()


def job_session_of(fence: Fence | None) -> str:
    """Return the name of database sessions for this process's job; empty if it runs none."""
    return job_session(fence.token) if fence else ""
