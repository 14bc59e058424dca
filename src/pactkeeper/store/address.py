"""Where a history lives: the URL of a database, its name in messages, and the driver it needs."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from pactkeeper.errors import UsageError, how_to_install

_SQLITE: Final = "sqlite"
_POSTGRES: Final = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
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
    return f"{_SQLITE}:///{quote(str(Path(path).absolute()))}"


def address(text: str) -> Address:
    """Parse a URL; raises UsageError, which never repeats the text since it may hold a password."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise UsageError(f"the database URL cannot be read; write {_FORMS}") from None
    if url.drivername == _SQLITE:
        return _file(url)
    if url.drivername in _POSTGRES:
        _require_driver()
        return Address(url.set(drivername="postgresql+psycopg"), _server(url), None)
    raise UsageError(f"the database URL names {url.drivername!r}, which is not supported; write {_FORMS}")


def _file(url: URL) -> Address:
    if not url.database or url.database == ":memory:" or url.query:
        raise UsageError(f"the database URL names no file to keep a history in; write {_FORMS}")
    path = Path(url.database).absolute()
    return Address(URL.create(_SQLITE, database=str(path)), repr(str(path)), path)


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
