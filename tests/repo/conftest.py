import pytest

from pactkeeper.repo.cache import FileCache


@pytest.fixture
def cache(tmp_path):
    with FileCache(tmp_path / "cache", notice=pytest.fail) as opened:
        yield opened
