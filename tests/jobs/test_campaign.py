"""A short campaign: workers are killed, stopped and left without Postgres; nothing is lost or done twice."""

import pytest

from bench.jobs.campaign import main


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_while_workers_and_the_database_die(postgres):
    found = main(["--seconds", "20", "--repositories", "6", "--workers", "3", "--seed", "3", "--together"])
    assert found["jobs added"]
    assert found["states"] == {"done": found["jobs added"]}, found["failed because"]
    assert [found[name] for name in ("lost", "effects doubled", "effects missing")] == [0, 0, 0]
    assert found["checks of one repository at the same time"] == 0
