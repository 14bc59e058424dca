"""A watch: when it sweeps, what it tells, and what does not end it."""

import shutil
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from pactkeeper.catalog.placement import alone
from pactkeeper.errors import BusyError, StoreUnavailable
from pactkeeper.health.watching import SWEEPING, WATCHING
from pactkeeper.operators.colours import health_status, health_timeline
from pactkeeper.operators.sweep import SweepRequest, sweep
from tests.health.projects import ERROR
from tests.operators.watching import line as new_line
from tests.repo.repositories import IDENTITY, git


@pytest.fixture
def line(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return new_line(tmp_path / "shop")


def view(line, verb):
    with line.open() as opened:
        return verb(opened)


@pytest.mark.slow
def test_a_green_branch_that_does_not_move_is_swept_at_the_ordinary_pace(line):
    assert line.starts(700) == [0, 300, 600]


@pytest.mark.slow
def test_a_red_branch_is_swept_at_the_fastest_pace_until_three_in_a_row_are_green(line):
    line.errors(ERROR)
    line.at[100] = lambda: line.errors("")
    assert line.starts(640) == [0, 60, 120, 180, 240, 540]


@pytest.mark.slow
def test_a_new_commit_is_swept_at_once_where_the_last_sweep_is_some_time_ago(line):
    line.at[200] = lambda: line.errors("")
    line.at[205] = lambda: line.errors(ERROR)
    assert line.starts(270) == [0, 200, 260]


def test_a_watch_that_is_started_again_waits_for_what_is_left_of_the_interval(line):
    line.watch(100)
    assert line.starts(250) == [200]


def test_waiting_never_takes_longer_than_a_look_at_the_branch_may(line):
    line.watch(400)
    assert 0 < min(line.waits) <= max(line.waits) <= 5


def test_one_turn_sweeps_where_that_is_due_and_says_when_it_is_not(line):
    assert line.watch(once=True).sweeps == 1
    assert line.watch(once=True).sweeps == 0
    assert "the next one is in 300 s" in line.told[-1]


# @atom IA-AK8PX86
def test_one_turn_sweeps_at_once_where_the_branch_has_moved(line):
    line.watch(once=True)
    line.now += timedelta(seconds=2)
    line.errors(ERROR)
    assert line.watch(once=True).sweeps == 1
    assert line.watch(once=True).sweeps == 0
    assert line.told[-1] == "no sweep is due yet: nothing has moved since the last one; the next one is in 60 s"


def test_what_is_watched_is_said_before_the_first_sweep(line):
    told = []
    line.watch(10, planners=[lambda _: told.extend(line.told[:-1])])
    commit = git(line.root, "rev-parse", "HEAD")[:12]
    assert told == [f"watching HEAD of {str(line.root)!r}, now at {commit}; sweeps are reported when they finish"]


def test_a_second_watch_of_the_same_repository_is_refused(line):
    with (
        alone(line.root / ".git/pact", WATCHING),
        pytest.raises(BusyError, match="is already watching this repository"),
    ):
        line.watch(10)


def test_somebody_elses_sweep_is_waited_for_and_told_once(line):
    with alone(line.root / ".git/pact", SWEEPING):
        assert line.watch(200).sweeps == 0
    assert len([one for one in line.told if "is sweeping" in one]) == len(line.told[1:]) == 1


def test_what_somebody_else_swept_meanwhile_is_not_swept_again(line):
    def by_hand():
        with line.open() as opened:
            sweep(opened, SweepRequest())

    by_hand()
    line.at[200] = by_hand
    assert line.starts(510) == [500]


@pytest.mark.slow
def test_tries_keep_the_pace_that_is_set(line):
    pact, rebase = line.root / "pact/pact.toml", line.root / ".git/rebase-merge"
    pact.write_text(pact.read_text().replace("fastest = 60", "fastest = 10"))
    line.errors("")
    line.at |= {200: rebase.mkdir, 325: rebase.rmdir}
    assert line.starts(340) == [0, 330]


def test_a_sweep_that_is_not_possible_is_tried_again_later_each_time(line):
    tried: list[Any] = []

    @contextmanager
    def away():
        if not line.told and not tried:
            with line.open() as opened:  # the first look, before anything is swept
                tried.append(line.elapsed)
                yield opened
            return
        tried.append(line.elapsed)
        raise StoreUnavailable("the database cannot be reached; see that its server runs")

    assert line.watch(1000, opener=away).failures == 5
    assert tried == [0, 0, 60, 180, 420, 900]
    assert "trying again in 960 s" in line.told[-1]


def test_a_watch_sweeps_again_when_what_was_wrong_is_over(line):
    index = line.root / ".git/pact/history.db"
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_bytes(b"no database, and long enough to be seen as none" * 200)
    line.at[30] = index.unlink
    assert line.starts(100) == [60]
    assert "could not sweep" in line.told[1]


def test_a_rebase_under_way_is_waited_for(line):
    rebase = line.root / ".git/rebase-merge"
    rebase.mkdir()
    line.at[50] = rebase.rmdir
    assert line.starts(100) == [60]
    assert "a rebase is in progress" in line.told[1]


def test_settings_that_a_merge_tore_do_not_keep_the_conflict_from_being_told(line):
    settings = line.root / "pact/pact.toml"
    settings.write_text(f"<<<<<<< HEAD\n{settings.read_text()}=======\n>>>>>>> other\n")
    line.errors("")
    line.watch(once=True)
    assert "not passed: conflict-markers" in line.told[-1]


def test_a_repository_that_is_gone_does_not_end_the_watch(line):
    line.at[10] = lambda: shutil.rmtree(line.root)
    assert line.watch(400).failures > 0
    assert "could not sweep" in line.told[-1]


def test_every_planner_hears_of_a_sweep_although_another_one_fails(line):
    heard: list[Any] = []

    def broken(found):
        raise ValueError(found.sweep.commit)

    line.watch(10, planners=[broken, heard.append])
    assert [one.sweep.green for one in heard] == [True]
    assert any("a planner failed" in one and "ValueError" in one for one in line.told)


def test_a_sweep_that_a_merge_overtook_is_told_as_stale_and_followed_by_another(line):
    pact = line.root / "pact/pact.toml"
    pact.write_text(
        pact.read_text().replace(
            "cat errors", f"git -C {line.root} {' '.join(IDENTITY)} commit -q --allow-empty -m x; cat errors"
        )
    )
    line.errors(ERROR)
    done = line.watch(70)
    assert (done.sweeps, done.stale) == (2, 2)
    assert view(line, health_status).tasks == {}


def test_status_names_the_first_commit_of_the_colour_and_what_is_open(line):
    line.watch(10)
    first = line.errors(ERROR)
    line.watch(130)
    line.errors(f"{ERROR}mail.py:9: E2 the mail is lost\n")
    line.watch(70)
    found = view(line, health_status)
    assert (found.colour, found.since.commit, dict(found.tasks)) == ("red", first, {"pending": 2})
    assert dict(found.findings) == {"assigned": 2}


def test_a_repository_that_was_never_swept_has_no_colour_and_gets_no_history(line):
    assert (view(line, health_status).colour, view(line, health_timeline)) == ("not known", ())
    assert not (line.root / ".git/pact/history.db").exists()


def test_status_tells_who_watches(line):
    told = []
    line.at[3] = lambda: told.append(view(line, health_status).watched_by)
    line.watch(10)
    assert told[0].startswith("process ")
    assert view(line, health_status).watched_by == ""


def test_timeline_shows_between_which_commits_the_branch_turned_red(line):
    good = line.errors("")
    line.watch(10)
    commits = [line.errors("mail.py:9: W1 old\n"), line.errors(ERROR)]
    line.watch(130)
    moments = view(line, health_timeline)
    assert [one.colour for one in moments] == ["red", "red", "green"]
    assert moments[0].window is None
    window = moments[1].window
    assert (window.good, window.bad) == (good, commits[-1])
    assert [commit for commit, _ in window.commits] == commits[::-1]
