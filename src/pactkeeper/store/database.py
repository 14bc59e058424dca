"""A database that holds histories: opened once, brought up to date, and used in transactions of all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection, Engine, text

from pactkeeper.errors import InputError, WriteFailed
from pactkeeper.store.address import Address, address, sqlite_url
from pactkeeper.store.engine import WRITES, make_engine
from pactkeeper.store.failures import translated
from pactkeeper.store.fence import Fence, job_session_of
from pactkeeper.store.revision import HEAD, REVISIONS, stored_revision

__all__ = ["Database", "open_database", "sqlite_url"]

PATIENCE: Final = 30.0

_writing: ContextVar[Mapping[Engine, Connection]] = ContextVar("writing", default=MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Database:
    """An open database; several threads may use it at the same time."""

    engine: Engine = field(repr=False)
    address: Address
    fence: Fence | None = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One state of the database for all that is read inside; within `begin`, what that has written so far.

        Raises BusyError, StoreUnavailable, WriteFailed or InputError, never an error of the driver.
        """
        with translated(self.address):
            joined = _writing.get().get(self.engine)
            if joined is not None:
                yield joined
                return
            with self.engine.connect() as connection:
                yield connection.execution_options(**self._reading)

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
    def _reading(self) -> dict[str, object]:
        if self.address.path:
            return {}
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def open_database(url: str, *, patience: float = PATIENCE, fence: Fence | None = None) -> Database:
    """Open the database that a URL names and bring it up to date; `patience` is how many seconds to wait for a lock.

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
    database = Database(make_engine(place, patience, session=job_session_of(fence)), place, fence)
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
