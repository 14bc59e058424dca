"""Migrates a database to another revision: all steps in one transaction, by one process at a time."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Engine, create_mock_engine, inspect, text
from sqlalchemy.dialects import sqlite

from pactkeeper.errors import InputError, WriteFailed
from pactkeeper.store.database import HEAD, VERSION_TABLE, stored_revision
from pactkeeper.store.driver import Address, translated
from pactkeeper.store.owner import WRITES
from pactkeeper.store.tables import METADATA

if TYPE_CHECKING:
    from alembic.config import Config

SCRIPTS: Final = Path(__file__).parent / "migrations"
_LOCK: Final = 0x7061_6374  # arbitrary, but used by no other lock in the same database
_PAUSE: Final = 0.05


def upgrade(engine: Engine, address: Address, *, patience: float, to: str = HEAD) -> None:
    """Upgrade to a revision; does nothing if another process has already done so.

    Raises InputError if tables with these names belong to another program, and what `Database.begin` raises.
    """
    with _changing(engine, address, patience) as connection:
        found = stored_revision(connection)
        if found is None:
            _require_room(connection, address)
        if found is None and to == HEAD:
            _create(connection)
        elif found != to:
            migrate(connection, to)


def downgrade(engine: Engine, address: Address, *, patience: float, to: str) -> None:
    """Downgrade to a revision, or to nothing with `base`; data that only later revisions store is lost."""
    from alembic import command  # noqa: PLC0415 - most programs never migrate, and loading it takes longer than that

    with _changing(engine, address, patience) as connection:
        command.downgrade(_config(connection), to)


def migrate(connection: Connection, to: str) -> None:
    """Run the migrations up to a revision."""
    from alembic import command  # noqa: PLC0415 - as above

    command.upgrade(_config(connection), to)


def _create(connection: Connection) -> None:
    """Create what the migrations make of an empty database."""
    create_tables(connection)
    connection.exec_driver_sql(
        f"CREATE TABLE IF NOT EXISTS {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL,"
        f" CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')")  # noqa: S608 - constants


def create_tables(connection: Connection) -> None:
    """Create all tables of the current schema."""
    if connection.dialect.name != "sqlite":
        METADATA.create_all(connection, checkfirst=False)
        return
    driver: Any = connection.connection.driver_connection  # SQLAlchemy would take as long as SQLite for each statement
    for statement in _definitions():
        driver.execute(statement)


@cache
def _definitions() -> tuple[str, ...]:
    """Compile SQLite's definitions of all tables, which takes longer than carrying them out."""
    found: list[str] = []
    compiling = sqlite.dialect()
    engine = create_mock_engine("sqlite://", lambda one, *_: found.append(str(one.compile(dialect=compiling))))
    METADATA.create_all(engine, checkfirst=False)
    return tuple(found)


def _config(connection: Connection) -> Config:
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@contextmanager
def _changing(engine: Engine, address: Address, patience: float) -> Iterator[Connection]:
    """Open a transaction during which nobody else changes tables."""
    with translated(address), _alone(address):
        if address.path:
            _use_write_ahead_log(address.path, patience)
        with engine.connect() as plain:
            connection = plain.execution_options(**{WRITES: True})
            with connection.begin():
                if not address.path:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
                yield connection


@contextmanager
def _alone(address: Address) -> Iterator[None]:
    """Lock a SQLite file separately: its journal mode changes outside transactions, so its own lock is not enough."""
    if address.path is None:
        yield
        return
    try:
        handle = os.open(f"{address.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise WriteFailed(f"the lock beside the history {address.name} cannot be made: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _use_write_ahead_log(path: Path, patience: float) -> None:
    """Enable the write-ahead log, so that readers can continue during writes; the file keeps this setting.

    SQLite doesn't wait for a lock on this statement, so this retries.
    """
    deadline = time.monotonic() + patience
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)
    finally:
        connection.close()


def _require_room(connection: Connection, address: Address) -> None:
    """Raise InputError if tables with these names belong to another program, or the encoding can't hold all text."""
    taken = sorted(set(METADATA.tables).intersection(inspect(connection).get_table_names()))
    if taken:
        raise InputError(
            f"the database {address.name} holds tables of another program ({', '.join(taken)}); "
            "name a database or schema of its own for the history"
        )
    encoding = "UTF8" if address.path else connection.execute(text("SHOW server_encoding")).scalar()
    if encoding != "UTF8":
        raise InputError(
            f"the database {address.name} keeps text as {encoding}, which has no sign for many names; "
            "name one that was made with ENCODING 'UTF8'"
        )
