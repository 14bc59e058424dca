"""Databases: their URLs and drivers, and drivers' errors as Pactkeeper's; none of the driver's leave this package."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from pactkeeper.errors import (
    BusyError,
    InputError,
    PactkeeperError,
    StoreUnavailable,
    UsageError,
    WriteFailed,
    how_to_install,
)

_SQLITE_SCHEME: Final = "sqlite"
_POSTGRES_SCHEMES: Final = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_FORMS: Final = "PACTKEEPER_DATABASE_URL as sqlite:////path/history.db or postgresql://user:password@host:5432/database"


@dataclass(frozen=True, slots=True)
class Address:
    """A database by URL; `name` is used in messages and never holds a password, `path` is a SQLite file."""

    url: URL = field(repr=False)
    name: str
    path: Path | None

    @property
    def password(self) -> str:
        """The secret to redact wherever a server's messages repeat it."""
        return str(self.url.password or self.url.query.get("password") or "")


def sqlite_url(path: Path | str) -> str:
    """Return the URL of a history in a SQLite file."""
    return f"{_SQLITE_SCHEME}:///{quote(str(Path(path).absolute()))}"


def address(text: str) -> Address:
    """Parse a URL; raises UsageError, which never repeats the text since it may hold a password."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise UsageError(f"the database URL cannot be read; write {_FORMS}") from None
    if url.drivername == _SQLITE_SCHEME:
        return _file(url)
    if url.drivername in _POSTGRES_SCHEMES:
        _require_driver()
        return Address(url.set(drivername="postgresql+psycopg"), _server(url), None)
    raise UsageError(f"the database URL names {url.drivername!r}, which is not supported; write {_FORMS}")


def _file(url: URL) -> Address:
    if not url.database or url.database == ":memory:" or url.query:
        raise UsageError(f"the database URL names no file to keep a history in; write {_FORMS}")
    path = Path(url.database).absolute()
    return Address(URL.create(_SQLITE_SCHEME, database=str(path)), repr(str(path)), path)


def _server(url: URL) -> str:
    """Return host and database without credentials; URL options may hold secrets too."""
    host = url.host or str(url.query.get("host") or "the local socket")
    port = f":{url.port}" if url.port else ""
    return f"'{url.database or ''}' on {host}{port}"


def _require_driver() -> None:
    try:
        importlib.import_module("psycopg")
    except ImportError as error:
        raise UsageError(
            f"a history on Postgres needs a driver that is not installed ({error}); "
            f"install it with: {how_to_install('postgres')}"
        ) from error


_BUSY: Final = "the history {name} is in use by another process: {said}; wait for it to end and try again"
_CROWDED: Final = "too many steps use the history {name} at once: {said}; try again with fewer at a time"
_REFUSED: Final = "the history {name} cannot be written: {said}; nothing of this step was stored. Free some space or "
_WRITE: Final = _REFUSED + "allow writing, and try again"
_DAMAGED: Final = (
    "{name} is not a history that can be read: {said}; move it away to start a new one, or restore a backup"
)
_FOREIGN: Final = "the history {name} does not take this: {said}"
_GONE: Final = "the database {name} cannot be reached: {said}; see that its server runs, then try again"

_Kind = tuple[type[PactkeeperError], str]

# https://sqlite.org/rescode.html, primary codes.
_SQLITE: Final[Mapping[int, _Kind]] = {
    sqlite3.SQLITE_BUSY: (BusyError, _BUSY),
    sqlite3.SQLITE_LOCKED: (BusyError, _BUSY),
    sqlite3.SQLITE_PERM: (WriteFailed, _WRITE),
    sqlite3.SQLITE_READONLY: (WriteFailed, _WRITE),
    sqlite3.SQLITE_IOERR: (WriteFailed, _WRITE),
    sqlite3.SQLITE_FULL: (WriteFailed, _WRITE),
    sqlite3.SQLITE_CANTOPEN: (WriteFailed, _WRITE),
    sqlite3.SQLITE_TOOBIG: (InputError, _FOREIGN),
}

# https://www.postgresql.org/docs/current/errcodes-appendix.html, longest matching prefix.
_POSTGRES: Final[Mapping[str, _Kind]] = {
    "08": (StoreUnavailable, _GONE),
    "22": (InputError, _FOREIGN),
    "25006": (WriteFailed, _WRITE),
    "25P03": (StoreUnavailable, _GONE),
    "28": (StoreUnavailable, _GONE),
    "3D": (StoreUnavailable, _GONE),
    "40": (BusyError, _BUSY),
    "42501": (WriteFailed, _WRITE),
    "53": (StoreUnavailable, _GONE),
    "53100": (WriteFailed, _WRITE),
    "55P03": (BusyError, _BUSY),
    "57014": (StoreUnavailable, _GONE),
    "57P": (StoreUnavailable, _GONE),
    "58": (WriteFailed, _WRITE),
}


@contextmanager
def translated(address: Address) -> Iterator[None]:
    """Translate every driver error into one that names the database and the next step.

    A statement rejected by SQLAlchemy itself is a bug and is not translated.
    """
    try:
        yield
    except DBAPIError as error:
        raise _ours(error, address) from error
    except PoolTimeout as error:
        raise _say((BusyError, _CROWDED), address, "every connection is taken") from error
    except sqlite3.Error as error:
        raise _say(_sqlite_kind(error), address, str(error)) from error
    except UnicodeEncodeError as error:
        raise _say((InputError, _FOREIGN), address, f"{error.object!r} contains an invalid character") from error


def _ours(error: DBAPIError, address: Address) -> PactkeeperError:
    said = str(error.orig)
    if isinstance(error, IntegrityError):
        return _say((InputError, _FOREIGN), address, said)
    if isinstance(error.orig, sqlite3.Error):
        return _say(_sqlite_kind(error.orig), address, said)
    return _say(_postgres_kind(error, getattr(error.orig, "sqlstate", None)), address, said)


def _sqlite_kind(error: sqlite3.Error) -> _Kind:
    code = getattr(error, "sqlite_errorcode", None)
    return _SQLITE.get((code or 0) & 0xFF, (InputError, _DAMAGED))


def _postgres_kind(error: DBAPIError, state: str | None) -> _Kind:
    """Classify an error; a failed or broken connection has no code, while every server response has one."""
    if state is None:
        lost = error.connection_invalidated or type(error.orig).__name__ in {"OperationalError", "ConnectionTimeout"}
        return (StoreUnavailable, _GONE) if lost else (InputError, _FOREIGN)
    fitting = [prefix for prefix in _POSTGRES if state.startswith(prefix)]
    return _POSTGRES[max(fitting, key=len)] if fitting else (InputError, _DAMAGED)


def _say(kind: _Kind, address: Address, said: str) -> PactkeeperError:
    """Build an error from the driver's message on one line, with the password redacted."""
    words = " ".join(said.split())
    if address.password:
        words = words.replace(address.password, "…")
    refusal, message = kind
    return refusal(message.format(name=address.name, said=words))
