import shutil

import pytest

from tests.tickets.worlds import World


@pytest.fixture
def world(tmp_path, empty_history):
    shutil.copy(empty_history, tmp_path)
    found = World(tmp_path)
    yield found
    found.close()
