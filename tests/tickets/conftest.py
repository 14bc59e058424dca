import pytest

from tests.tickets.worlds import World


@pytest.fixture
def world(tmp_path):
    found = World(tmp_path)
    yield found
    found.close()
