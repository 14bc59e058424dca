"""A database that holds histories: opened once, brought up to date, and used in transactions of all or nothing.

The audit log of a server: who did what to what, when, from where, and what became of it. Rows are only added.

Looking at a database without changing it: whether it answers, which revision it has, and what time it is there.

One open database for all requests of a server: connecting anew takes longer than most of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection, Engine, select, text, update

from pactkeeper.errors import InputError, WriteFailed
from pactkeeper.store.address import Address, address, sqlite_url
from pactkeeper.store.failures import translated
from pactkeeper.store.fence import Fence, job_session_of
from pactkeeper.store.owner import WRITES, Tell, make_engine
from pactkeeper.store.revision import HEAD, REVISIONS, stored_revision
from pactkeeper.store.tables import AUDIT

__all__ = ["Database", "open_database", "sqlite_url"]

PATIENCE: Final = 30.0
PATIENCE_OF_A_SERVER: Final = 10.0  # whoever sent the request waits meanwhile

_writing: ContextVar[Mapping[Engine, Connection]] = ContextVar("writing", default=MappingProxyType({}))
_reading: ContextVar[Mapping[Engine, Connection]] = ContextVar("reading", default=MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Database:
    """An open database; several threads may use it at the same time."""

    engine: Engine = field(repr=False)
    address: Address
    fence: Fence | None = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One state of the database for all that is read inside; within `begin`, what that has written so far.

        Within `together` it is the state of that. Raises BusyError, StoreUnavailable, WriteFailed or InputError, never
        an error of the driver.
        """
        with translated(self.address):
            joined = _writing.get().get(self.engine) or _reading.get().get(self.engine)
            if joined is not None:
                yield joined
                return
            with self.engine.connect() as connection:
                yield connection.execution_options(**self._as_reader)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Inside, everything is read from one state by one connection, as one `read`; nothing is written there.

        A connection is tried, begun and given back once, where each `read` would do so for itself.
        """
        with self.read() as connection:
            token = _reading.set({**_reading.get(), self.engine: connection})
            try:
                yield
            finally:
                _reading.reset(token)

    def mark(self) -> str | None:
        """What changes whenever anything is written to a server, by whichever client; None for a file.

        Two looks that see the same transactions see the same rows; a restart begins anew.
        """
        if self.address.path:
            return None
        with self.read() as connection:
            seen = connection.execute(text("SELECT txid_current_snapshot()::text, pg_postmaster_start_time()::text"))
            return f"{self.address.name} {' '.join(seen.one())}"

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """All that is written inside, or nothing of it where anything is raised; inside another one, part of that.

        Nothing may be awaited inside. Raises as `read` does, and HandedOver where the job of this process is no longer
        its own: nothing is stored then.
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
        """Hold the job of this process, where it runs one, until what is written is stored."""
        if self.fence is None:
            return nullcontext()
        if self.address.path:
            return self.fence.held()
        self.fence.ensure(connection)
        return nullcontext()

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()

    @property
    def _as_reader(self) -> dict[str, object]:
        if self.address.path:
            return {}
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def open_database(
    url: str, *, patience: float = PATIENCE, fence: Fence | None = None, tell: Tell | None = None
) -> Database:
    """Open the database that a URL names and bring it up to date; `patience` is how many seconds to wait for a lock.

    `tell` hears of a long wait for a file.

    With a `fence` it is only written to while the job of this process is its own.
    The folder of a SQLite file is made where it is missing. Raises UsageError for a URL or driver that cannot be used,
    InputError for a file that is no history or was written by a newer program, and as `Database.read` does.
    """
    place = address(url)
    if place.path:
        try:
            place.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteFailed(f"the folder of the history {place.name} cannot be made: {error.strerror}") from error
    database = Database(make_engine(place, patience, session=job_session_of(fence), tell=tell), place, fence)
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
    """One act; `kind` is how the account came in: person, program, agent, or terminal for who administers by it."""

    at: str
    account: str
    kind: str
    action: str
    subject: str
    outcome: str
    address: str = ""


def record(database: Database, entry: AuditEntry) -> int:
    """Add a row; its number."""
    row = {name: getattr(entry, name) for name in AuditEntry.__slots__}
    with database.begin() as connection:
        key = connection.execute(AUDIT.insert().values(row)).inserted_primary_key
        return int(key[0]) if key else 0


def conclude(database: Database, number: int, outcome: str) -> None:
    """Say what became of an act that was recorded when it began."""
    with database.begin() as connection:
        connection.execute(update(AUDIT).where(_e.number == number).values(outcome=outcome))


def audit(database: Database, *, account: str = "", limit: int = 200) -> tuple[AuditEntry, ...]:
    """The newest acts, of one account or of all."""
    where = [_e.account == account] if account else []
    columns = (AUDIT.c[name] for name in AuditEntry.__slots__)
    query = select(*columns).where(*where).order_by(_e.number.desc()).limit(limit)
    with database.read() as connection:
        return tuple(AuditEntry(*row) for row in connection.execute(query))


_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Examined:
    """A database that answered; `fits` where this program can use it, `clock` is the server's, if it is one."""

    words: str
    fits: bool
    clock: datetime | None


def examine(url: str) -> Examined:
    """Connect and look; raises UsageError, and as `Database.read` does."""
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
    """Inside, a database on a server stays open once it was used, for every thread of the process."""
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
    """Whether this process keeps open and in memory what the next request needs again."""
    return bool(_servers)


@contextmanager
def database_at(url: str, *, fence: Fence | None = None, tell: Tell | None = None) -> Iterator[Database]:
    """The database that a URL names: its own, closed afterwards, or without a fence the one that is kept open."""
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
