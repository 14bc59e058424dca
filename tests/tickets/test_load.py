import pytest

from bench.threads_load import Broken, load


@pytest.mark.slow
def test_threads_whose_processes_are_killed_at_random_lose_and_double_nothing(tmp_path):
    found = load(tmp_path, threads=6, count=12, workers=2, kill_every=2)
    assert found.kills > 0
    assert found.tickets == 6
    assert found.broken == Broken(0, 0, 0, 0, 0, 0)
