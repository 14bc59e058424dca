"""Half an hour of a watch with merges during sweeps and kills: what the simulated day in `bench/health` must show."""

import pytest

from bench.health.day import Day, surroundings
from bench.health.day_plan import KILLS, plan
from bench.health.day_table import claims

pytestmark = pytest.mark.slow
HOURS, COMMITS, SEED = 0.5, 16, 11


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    folder = tmp_path_factory.mktemp("day")
    with pytest.MonkeyPatch.context() as patched:
        for name, value in surroundings(folder).items():
            patched.setenv(name, value)
        made = Day(folder, plan(SEED, commits=COMMITS, kills=len(KILLS), until=HOURS * 3600), SEED)
        made.begin()
        made.run(HOURS * 3600)
        yield made


def test_a_day_with_kills_and_merges_keeps_every_promise(day):
    assert {name: value for name, (value, holds) in claims(day).items() if not holds} == {}


def test_the_day_had_what_it_is_about(day):
    assert set(day.seen.kills) == set(KILLS)
    assert day.seen.stale > 0
    assert day.seen.merged_during > 0
    assert day.seen.broken > 0
