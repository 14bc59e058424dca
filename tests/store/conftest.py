import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from pactkeeper.store.database import Database, open_database, sqlite_url
from pactkeeper.store.history import History

BOTH = ["sqlite", "postgres"]


@pytest.fixture
def migrated_copy(empty_history, tmp_path) -> Path:
    """A history in a file without rows."""
    return Path(shutil.copy(empty_history, tmp_path / "history.db"))


@pytest.fixture(scope="session")
def migrated_postgres(postgres) -> Iterator[str]:
    """A history on Postgres that tests share; each has a repository of its own in it."""
    with postgres.database() as url:
        open_database(url).close()
        yield url


@pytest.fixture(params=BOTH)
def empty_url(request, tmp_path) -> Iterator[str]:
    """A database that nobody has opened yet, on either system."""
    if request.param == "sqlite":
        yield sqlite_url(tmp_path / "state" / "history.db")
        return
    with request.getfixturevalue("postgres").database() as url:
        yield url


@pytest.fixture(params=BOTH)
def url(request) -> str:
    """An up-to-date database on either system."""
    if request.param == "sqlite":
        return sqlite_url(request.getfixturevalue("migrated_copy"))
    shared: str = request.getfixturevalue("migrated_postgres")
    return shared


@pytest.fixture(scope="session")
def opened_postgres(migrated_postgres) -> Iterator[Database]:
    opened = open_database(migrated_postgres)
    yield opened
    opened.close()


@pytest.fixture
def database(request, url) -> Iterator[Database]:
    """That database, opened."""
    if not url.startswith("sqlite"):
        yield request.getfixturevalue("opened_postgres")
        return
    opened = open_database(url)
    yield opened
    opened.close()


@pytest.fixture
def repository() -> str:
    return f"shop-{uuid.uuid4().hex}"


@pytest.fixture
def history(database, repository) -> History:
    return History(database, repository)


@pytest.fixture
def neighbour(database) -> History:
    """Another repository in the same database."""
    return History(database, f"neighbour-{uuid.uuid4().hex}")
