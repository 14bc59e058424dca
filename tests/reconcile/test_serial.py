import sqlite3

import pytest

from pactkeeper.operators.runs import cancel_run, list_runs
from tests.reconcile.dying import Halt, Place, accept_everything, ended, in_a_process, reconcile, started, wait_for
from tests.reconcile.test_survival import make_repository, ops_of, place, runs

__all__ = ["place"]

pytestmark = pytest.mark.slow


@pytest.fixture
def halt(tmp_path):
    """A stop between two nodes, until a test lets the process go on."""
    return Halt("infer_atoms", tmp_path / "reached", tmp_path / "go_on")


def said(place):
    return (place.root.parent / "said").read_text()


def test_second_run_waits_for_the_first_and_finds_nothing_new(place, halt):
    first = started(reconcile, place, halt)
    wait_for(halt.reached)
    second = started(reconcile, place)
    second.join(1.5)
    assert second.is_alive()
    halt.go_on.touch()
    assert (ended(first), ended(second)) == (0, 0)
    assert [(one.run.status, sum(one.fates.values())) for one in runs(place)] == [("completed", 0), ("paused", 240)]


def test_run_is_cancelled_from_another_terminal(place, halt):
    first = started(reconcile, place, halt)
    wait_for(halt.reached)
    with place.open() as workspace:
        (running,) = list_runs(workspace)
        assert not running.interrupted
        assert cancel_run(workspace, running.run.id).status == "running"
    halt.go_on.touch()
    assert ended(first) == 2
    assert "cancelled" in said(place)
    assert [one.run.status for one in runs(place)] == ["cancelled"]


def test_run_stops_where_its_server_ended_the_session_and_goes_on_later(postgres, tmp_path, halt):
    with postgres.database() as url:
        place = Place(make_repository(tmp_path / "project"), url)
        first = started(reconcile, place, halt)
        wait_for(halt.reached)
        postgres.end_sessions(url.partition("?")[0].rpartition("/")[2])
        halt.go_on.touch()
        assert ended(first) == 2
        assert said(place).startswith("StoreUnavailable")
        assert in_a_process(reconcile, place) == 0
        assert len(ops_of(place)) == 240


def test_locked_history_is_waited_for(tmp_path, halt):
    place = Place(make_repository(tmp_path / "project"))
    first = started(reconcile, place, halt)
    wait_for(halt.reached)
    other = sqlite3.connect(place.root / ".git" / "pact" / "history.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    halt.go_on.touch()
    first.join(1.5)
    assert first.is_alive()
    other.execute("ROLLBACK")
    other.close()
    assert ended(first) == 0
    assert len(ops_of(place)) == 240


def test_lost_checkpoints_cost_nothing_that_was_stored(tmp_path):
    place = Place(make_repository(tmp_path / "project"))
    assert in_a_process(reconcile, place) == 0
    for file in (place.root / ".git" / "pact").glob("checkpoints.db*"):
        file.unlink()
    assert in_a_process(accept_everything, place) == 0
    assert [one.run.status for one in runs(place)] == ["completed"]
