"""A database that holds histories: opened once, migrated, and used in transactions.

Also a server's audit log, which is append-only: who did what to what, when, from where, and with what outcome. Also
examines a database without changing it (reachable, revision, clock), and keeps one database open for all requests of a
server, since connecting takes longer than most of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final
from weakref import finalize

from sqlalchemy import Connection, Engine, Executable, Row, inspect, select, text, update

from pactkeeper.errors import InputError, WriteFailed
from pactkeeper.store.columns import row_of
from pactkeeper.store.driver import Address, address, sqlite_url, translated
from pactkeeper.store.owner import WRITES, Fence, Tell, job_session_of, make_engine
from pactkeeper.store.tables.team import AUDIT

__all__ = ["Database", "open_database", "sqlite_url"]

PATIENCE: Final = 30.0
PATIENCE_OF_A_SERVER: Final = 10.0  # the sender of the request is waiting

_writing: ContextVar[Mapping[Engine, Connection]] = ContextVar("writing", default=MappingProxyType({}))
_reading: ContextVar[Mapping[Engine, Connection]] = ContextVar("reading", default=MappingProxyType({}))


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Database:
    """An open database; safe to share between threads. Its connections are closed when nobody holds it any more."""

    engine: Engine = field(repr=False)
    address: Address
    fence: Fence | None = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Read from one snapshot of the database; within `begin`, including what has been written so far.

        Within `together`, its snapshot is used. Raises BusyError, StoreUnavailable, WriteFailed or InputError, never a
        driver's error.
        """
        with translated(self.address):
            joined = _writing.get().get(self.engine) or _reading.get().get(self.engine)
            if joined is not None:
                yield joined
                return
            with self.engine.connect() as connection:
                yield connection.execution_options(**self._as_reader)

    def rows(self, query: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Row[*tuple[Any, ...]]]:
        """Return all rows of a query."""
        with self.read() as connection:
            return connection.execute(query, values).all()

    def scalars(self, query: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """Return the first column of all rows of a query."""
        with self.read() as connection:
            return connection.execute(query, values).scalars().all()

    def first(self, query: Executable, values: Mapping[str, Any] | None = None) -> Row[*tuple[Any, ...]] | None:
        """Return the first row of a query, or None."""
        with self.read() as connection:
            return connection.execute(query, values).first()

    def scalar(self, query: Executable, values: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - any column
        """Return the first column of the first row of a query, or None."""
        with self.read() as connection:
            return connection.execute(query, values).scalar()

    def execute(self, statement: Executable, values: Any = None) -> None:  # noqa: ANN401 - as SQLAlchemy takes them
        """Write by one statement."""
        with self.begin() as connection:
            connection.execute(statement, values)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Read everything inside the block from one snapshot over one connection; nothing is written there.

        A connection is checked, begun and returned once, instead of once per `read`.
        """
        with self.read() as connection:
            token = _reading.set({**_reading.get(), self.engine: connection})
            try:
                yield
            finally:
                _reading.reset(token)

    def mark(self) -> str | None:
        """Return a value that changes whenever any client writes to the server; None for a file.

        The same visible transactions mean the same rows; a server restart changes the value.
        """
        if self.address.path:
            return None
        with self.read() as connection:
            seen = connection.execute(text("SELECT txid_current_snapshot()::text, pg_postmaster_start_time()::text"))
            return f"{self.address.name} {' '.join(seen.one())}"

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Write everything in the block or, if anything is raised, nothing; a nested block joins the outer one.

        Don't await inside. Raises what `read` raises, and HandedOver, storing nothing, if this process has lost its
        job.
        """
        with translated(self.address):
            outer = _writing.get()
            if self.engine in outer:
                with outer[self.engine].begin_nested():
                    yield outer[self.engine]
                return
            with self.engine.connect() as plain:
                connection = plain.execution_options(**{WRITES: True})
                token = _writing.set({**outer, self.engine: connection})
                try:
                    with connection.begin(), self._ours(connection):
                        yield connection
                finally:
                    _writing.reset(token)

    def _ours(self, connection: Connection) -> AbstractContextManager[None]:
        """Hold this process's job, if it runs one, until the writes are stored."""
        if self.fence is None:
            return nullcontext()
        if self.address.path:
            return self.fence.held()
        self.fence.ensure(connection)
        return nullcontext()

    def close(self) -> None:
        """Close every idle connection."""
        self.engine.pool.dispose()  # the engine's own `dispose` makes another pool as well

    @property
    def _as_reader(self) -> dict[str, object]:
        if self.address.path:
            return {}
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def open_database(
    url: str, *, patience: float = PATIENCE, fence: Fence | None = None, tell: Tell | None = None
) -> Database:
    """Open the database at a URL and migrate it; `patience` is how many seconds to wait for a lock.

    `tell` is called on a long wait for a file. With a `fence`, writes require that this process still holds its job.
    The folder of a SQLite file is created if missing. Raises UsageError for an unusable URL or driver, InputError for a
    file that is not a history or was written by a newer version, and what `Database.read` raises.
    """
    place = address(url)
    if place.path:
        try:
            place.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteFailed(f"the folder of the history {place.name} cannot be made: {error.strerror}") from error
    database = Database(make_engine(place, patience, session=job_session_of(fence), tell=tell), place, fence)
    finalize(database, database.engine.dispose).atexit = False  # a process that ends closes its files anyway
    try:
        _bring_up_to_date(database, patience)
    except BaseException:
        database.close()
        raise
    return database


def _bring_up_to_date(database: Database, patience: float) -> None:
    with database.read() as connection:
        found = stored_revision(connection)
    if found == HEAD:
        return
    if found is not None and found not in REVISIONS:
        raise InputError(
            f"the history {database.address.name} has revision {found!r} and this program knows revisions up to "
            f"{HEAD!r}: another version wrote it; use that one, or name another database"
        )
    from pactkeeper.store.migrate import upgrade  # noqa: PLC0415 - an up-to-date history loads no migrations

    upgrade(database.engine, database.address, patience=patience)


_e = AUDIT.c


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One audited action; `kind` is how the account signed in: person, program, agent, or terminal (administrator)."""

    at: str
    account: str
    kind: str
    action: str
    subject: str
    outcome: str
    address: str = ""


def record(database: Database, entry: AuditEntry) -> int:
    """Append an entry and return its number."""
    with database.begin() as connection:
        key = connection.execute(AUDIT.insert().values(row_of(AUDIT, entry))).inserted_primary_key
        return int(key[0]) if key else 0


def conclude(database: Database, number: int, outcome: str) -> None:
    """Record the outcome of an action that was recorded when it began."""
    with database.begin() as connection:
        connection.execute(update(AUDIT).where(_e.number == number).values(outcome=outcome))


def audit(database: Database, *, account: str = "", limit: int = 200) -> tuple[AuditEntry, ...]:
    """Return the newest entries, of one account or all."""
    where = [_e.account == account] if account else []
    columns = (AUDIT.c[name] for name in AuditEntry.__slots__)
    query = select(*columns).where(*where).order_by(_e.number.desc()).limit(limit)
    with database.read() as connection:
        return tuple(AuditEntry(*row) for row in connection.execute(query))


_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Examined:
    """A database that answered; `fits` if this program can use it, `clock` is the server's time, None for a file."""

    words: str
    fits: bool
    clock: datetime | None


def examine(url: str) -> Examined:
    """Connect and inspect; raises UsageError, and what `Database.read` raises."""
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


_lock = threading.Lock()
_kept: dict[str, Database] = {}
_servers: list[object] = []


@contextmanager
def keeping_open() -> Iterator[None]:
    """Keep databases on servers open between uses inside the block, for all threads of the process."""
    mark = object()
    _servers.append(mark)
    try:
        yield
    finally:
        _servers.remove(mark)
        with _lock:
            left = [] if _servers else [_kept.pop(url) for url in tuple(_kept)]
        for one in left:
            one.close()


def is_server() -> bool:
    """Whether this process keeps connections and data in memory for later requests."""
    return bool(_servers)


@contextmanager
def database_at(url: str, *, fence: Fence | None = None, tell: Tell | None = None) -> Iterator[Database]:
    """Open the database at a URL, closing it afterwards; on a server without a fence, share the one kept open."""
    if _servers and fence is None and address(url).path is None:
        yield _shared(url)
        return
    patience = PATIENCE_OF_A_SERVER if is_server() else PATIENCE
    database = open_database(url, patience=patience, fence=fence, tell=tell)
    try:
        yield database
    finally:
        database.close()


def _shared(url: str) -> Database:
    with _lock:
        if url not in _kept:
            _kept[url] = open_database(url, patience=PATIENCE_OF_A_SERVER)
        return _kept[url]


VERSION_TABLE: Final = "pactkeeper_revision"
REVISIONS: Final[tuple[str, ...]] = ("0001",)
HEAD: Final = REVISIONS[-1]


def stored_revision(connection: Connection) -> str | None:
    """Return the revision of a database; None if it holds no history yet."""
    query = f"SELECT version_num FROM {VERSION_TABLE}"  # noqa: S608 - a constant
    found: str | None = None
    if connection.dialect.name == "sqlite":  # SQLAlchemy takes longer to look than most uses of a history
        driver: Any = connection.connection.driver_connection
        if driver.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (VERSION_TABLE,)).fetchone():
            found = next(iter(driver.execute(query).fetchone() or ()), None)
    elif inspect(connection).has_table(VERSION_TABLE):
        found = connection.execute(text(query)).scalar()
    return found
