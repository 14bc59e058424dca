import pytest


@pytest.fixture
def url(postgres):
    with postgres.database() as made:
        yield made
