"""Workers as processes of their own: what they do with jobs, and what becomes of jobs when they die."""

import signal

import pytest
from sqlalchemy import text

from pactkeeper.store.health import receipt_of
from pactkeeper.store.workers import handovers, workers
from tests.flows.collector import collector
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.slow


def sweeps(database):
    with database.read() as connection:
        return connection.execute(text("SELECT count(*) FROM sweeps")).scalar()


def held_sweep(team):
    """A sweep that runs on the first worker and does not end by itself."""
    team.hold.touch()
    job = team.add("sweep", at=team.repository())
    first = team.worker()
    until(lambda: team.log == ["begin"], "the check")
    return job, first


def test_jobs_of_a_repository_run_one_by_one_by_priority_and_keep_what_came_of_them(team):
    shop = team.repository()
    jobs = [team.add(kind, at=shop) for kind in ("sweep", "check", "reconcile")]
    team.worker()
    sweep, check, reconcile = [team.ends(one) for one in jobs]
    assert [one.state for one in (sweep, check, reconcile)] == ["done"] * 3, team.said(0)
    assert check.began < reconcile.began < sweep.began
    assert sweep.result["document"]["green"]
    assert check.result["exit"] == 1
    assert list((team.folder / "cache/pactkeeper/jobs").glob("*/jobs/*")) == []


def test_job_of_a_killed_worker_is_done_once_by_another(team, database):
    job, first = held_sweep(team)
    first.kill()
    team.worker()
    until(lambda: team.log == ["begin", "begin"], "the second try")
    team.hold.unlink()
    assert team.ends(job).state == "done", team.said(1)
    assert team.log == ["begin", "begin", "end"]
    assert sweeps(database) == 1
    ((lost_by, _),) = handovers(database, job)
    assert lost_by != team.queue.job(job).worker
    assert receipt_of(database, job) == {"exit": 0, "sweep": team.queue.job(job).result["document"]["sweep"]["id"]}


@pytest.mark.slow
def test_worker_that_was_stopped_stores_nothing_any_more_and_begins_anew(team, database):
    job, first = held_sweep(team)
    first.send_signal(signal.SIGSTOP)  # what it started goes on, and would store a second sweep
    team.worker()
    until(lambda: team.log.count("begin") == 2, "the second try")
    team.hold.unlink()
    assert team.ends(job).state == "done", team.said(1)
    first.send_signal(signal.SIGCONT)
    until(lambda: "starts over" in team.said(0), "the new life")
    until(lambda: team.said(0).count("takes jobs") == 2, "the new life")
    assert sweeps(database) == 1
    assert team.state(job) == "done"


@pytest.mark.slow
def test_cancelled_job_ends_with_all_it_started(team, database):
    job, _ = held_sweep(team)
    team.pk("jobs", "cancel", job)
    until(lambda: "handed over" in team.said(0), "the end")
    team.hold.unlink()
    assert team.state(job) == "cancelled"
    assert sweeps(database) == 0
    assert team.log == ["begin"]
    team.pk("jobs", "retry", job)
    assert team.ends(job).state == "done"


@pytest.mark.slow
def test_worker_that_is_told_to_end_gives_back_what_it_cannot_finish(team):
    job, first = held_sweep(team)
    first.terminate()
    assert first.wait(PATIENCE) == 0, team.said(0)
    assert team.state(job) == "waiting"
    team.hold.unlink()
    team.worker()
    assert team.ends(job).state == "done"


@pytest.mark.slow
def test_worker_that_is_told_to_end_waits_for_what_runs(team, database):
    team.hold.touch()
    job = team.add("sweep", at=team.repository())
    worker = team.worker(drain=int(PATIENCE))
    until(lambda: team.log == ["begin"], "the check")
    worker.terminate()
    until(lambda: "ending after 1 jobs" in team.said(0), "the word")
    until(lambda: [one.state for one in workers(database)] == ["draining"], "the state")
    team.hold.unlink()
    assert worker.wait(PATIENCE) == 0
    assert team.state(job) == "done"


@pytest.mark.slow
def test_job_that_fails_keeps_what_its_command_said(team):
    shop = team.repository()
    job = team.add("guard", at=shop)  # the first commit has none before it
    team.worker()
    found = team.ends(job)
    assert found.state == "failed"
    assert "pk:" in found.error


@pytest.mark.slow
def test_worker_waits_while_the_database_is_away_and_loses_nothing(team, postgres):
    if not postgres.ours:
        pytest.skip("the server is not ours to stop")
    job, _ = held_sweep(team)
    with postgres.away():
        until(lambda: "waiting for the database" in team.said(0), "the word")
        team.hold.unlink()
    assert team.ends(job).state == "done", team.said(0)
    until(lambda: "the database is back" in team.said(0), "the word that it is back")


@pytest.mark.slow
def test_job_that_a_living_worker_was_given_but_does_not_run_is_taken_from_it(team, database):
    held, _ = held_sweep(team)
    dropped = team.add("check", at=team.folder / "shop")
    (worker,) = workers(database)
    given = text(
        "UPDATE dbos.workflow_status SET status = 'PENDING', owner_xid = 'lost', executor_id = :worker "
        "WHERE workflow_uuid = :job"
    )
    with database.begin() as connection:
        connection.execute(given, {"worker": worker.id, "job": dropped})
    until(lambda: f"{dropped} is taken from {worker.id}, which had dropped it" in team.said(0), "the word")
    team.hold.unlink()
    assert [team.ends(one).state for one in (held, dropped)] == ["done", "done"], team.said(0)


@pytest.mark.slow
def test_old_worker_gives_its_jobs_back_when_a_newer_program_changed_the_database(team, database):
    job, first = held_sweep(team)
    with database.begin() as connection:
        connection.execute(text("UPDATE pactkeeper_revision SET version_num = '9999'"))
    assert first.wait(PATIENCE) == 2
    assert "newer" in team.said(0)
    assert team.state(job) == "waiting"


@pytest.mark.slow
def test_spans_of_a_job_belong_to_the_trace_of_whoever_added_it(team, monkeypatch):
    trace = "0af7651916cd43dd8448eb211c80319c"
    monkeypatch.setenv("TRACEPARENT", f"00-{trace}-b7ad6b7169203331-01")
    job = team.add("sweep", at=team.repository())
    monkeypatch.delenv("TRACEPARENT")
    with collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        team.worker()
        assert team.ends(job).state == "done"
        until(lambda: any(bytes.fromhex(trace) in body for _, body in received), "a span of the trace")
