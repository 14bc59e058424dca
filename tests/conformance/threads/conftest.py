import shutil

import pytest

from pactkeeper.store.database import open_database, sqlite_url
from tests.conformance.threads.home import Home
from tests.conformance.threads.stages import STAGES


@pytest.fixture(scope="session")
def empty_history(tmp_path_factory):
    """A history without rows, to be copied: making one takes longer than most scenarios."""
    path = tmp_path_factory.mktemp("threads") / "history.db"
    open_database(sqlite_url(path)).close()
    return path


@pytest.fixture
def home(tmp_path, empty_history):
    made = Home(tmp_path)
    made.kept.mkdir(parents=True)
    shutil.copy(empty_history, made.kept)
    return made


@pytest.fixture(params=STAGES)
def stage(request, home):
    made = STAGES[request.param](home)
    yield made
    made.close()
