import shutil

import pytest

from pactkeeper.store.database import Database, open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.transcripts.ingest import ingest

NOW = "2026-03-02T08:00:00.000+00:00"


@pytest.fixture
def new_history(empty_history, tmp_path):
    """Make a history of its own, as many as a test wants."""
    opened: list[Database] = []

    def make():
        path = tmp_path / f"person-{len(opened)}.db"
        shutil.copy(empty_history, path)
        opened.append(open_database(sqlite_url(path)))
        return History(opened[-1], "person")

    yield make
    for database in opened:
        database.close()


@pytest.fixture
def history(new_history):
    return new_history()


@pytest.fixture
def read(history):
    """Read files into the history, one after the other."""

    def run(*paths, into=history):
        return [ingest(into, path, now=lambda: NOW) for path in paths]

    return run
