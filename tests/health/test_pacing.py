"""When the next sweep is due."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.health.watching import SweepPace, colour, colours, due_at, next_interval, retry_after
from pactkeeper.intent.health import CheckResult, HealthSettings, Sweep

DEFAULT = HealthSettings()
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HISTORIES = st.lists(st.sampled_from(["green", "red", "not known"]), max_size=12)


MARKERS = CheckResult("conflict-markers", "conflict", "pass")
BUILT = CheckResult("make", "build", "pass")


def sweep(verdict, category="test", first=(MARKERS,), **keys):
    return Sweep("s", "c", "main", "", "", (*first, CheckResult("x", category, verdict)), **keys)


@pytest.mark.parametrize(
    ("history", "seconds"),
    [
        ([], 300),
        (["green"], 300),
        (["red"], 60),
        (["green", "red"], 60),
        (["green", "green", "red"], 60),
        (["green", "green", "green", "red"], 300),
        (["green", "red", "green", "green", "green"], 60),
    ],
)
def test_red_speeds_up_and_three_greens_in_a_row_slow_down(history, seconds):
    assert next_interval(history, DEFAULT) == seconds


@given(HISTORIES)
def test_what_is_not_known_changes_no_pace(history):
    judged = [one for one in history if one != "not known"]
    assert next_interval(history, DEFAULT) == next_interval(judged, DEFAULT)


@given(HISTORIES, st.integers(1, 5), st.integers(10, 900), st.integers(10, 900))
def test_the_pace_is_one_of_the_two_that_are_set(history, greens, interval, fastest):
    settings = HealthSettings(interval=interval, fastest=fastest, greens=greens)
    assert next_interval(history, settings) in {interval, min(fastest, interval)}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (sweep("pass"), "green"),
        (sweep("fail"), "red"),
        (sweep("timed out"), "red"),
        (sweep("fail", "lint"), "not known"),
        (sweep("fail", "lint", first=(MARKERS, BUILT)), "green"),
        (sweep("pass", "conflict", first=()), "not known"),
        (sweep("not applicable"), "not known"),
        (sweep("fail", "conflict", first=(BUILT,), infrastructure="no network"), "red"),
        (sweep("pass", first=()), "not known"),
        (sweep("fail", first=()), "red"),
        (sweep("could not run"), "not known"),
        (sweep("fail", infrastructure="no network"), "not known"),
    ],
)
def test_colour_is_of_what_was_judged(found, expected):
    assert colour(found) == expected


def test_stale_sweeps_have_no_colour():
    assert colours([sweep("fail", stale=True), sweep("pass")]) == ("green",)


def test_an_unmoved_branch_waits_for_the_interval_and_a_moved_one_for_the_fastest_pace():
    pace = SweepPace(DEFAULT, NOW, "a", ("green",))
    assert due_at(pace, tip="a", now=NOW) == NOW + timedelta(minutes=5)
    assert due_at(pace, tip="b", now=NOW) == NOW + timedelta(minutes=1)


def test_the_first_sweep_is_due_at_once():
    assert due_at(SweepPace(), tip="a", now=NOW) == NOW


def test_a_clock_that_was_set_back_delays_nothing():
    assert due_at(SweepPace(DEFAULT, NOW + timedelta(days=300), "a"), tip="a", now=NOW) == NOW


def test_tries_come_later_each_time_and_never_later_than_an_hour():
    assert [retry_after(number, DEFAULT) for number in (1, 2, 3, 100)] == [60, 120, 240, 3600]
