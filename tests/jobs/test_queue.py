"""The queue on a real Postgres, without a worker."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pactkeeper.errors import InputError, RefusedError, StoreUnavailable, UsageError
from pactkeeper.jobs.job import Job
from pactkeeper.jobs.queue import JobFilter, QueueLimits, job_due, open_queue, queue_url
from pactkeeper.store.database import open_database
from pactkeeper.store.workers import queue_exists

JOB = Job("sweep", "git-1", "/srv/shop", "abc", "abc")


def test_job_that_is_added_twice_is_there_once(queue):
    assert queue.add(JOB)
    assert not queue.add(JOB)
    (row,) = queue.jobs()
    assert (row.id, row.job, row.state) == (JOB.id, JOB, "waiting")


def test_jobs_are_listed_by_state_and_kind(queue):
    queue.add(JOB)
    tick = replace(JOB, kind="tick")
    queue.add(tick)
    queue.cancel(JOB.id)
    assert [one.id for one in queue.jobs(JobFilter("waiting"))] == [tick.id]
    assert [one.id for one in queue.jobs(JobFilter(kind="sweep"))] == [JOB.id]


def test_cancelled_job_waits_again_once_it_is_retried(queue):
    queue.add(JOB)
    assert queue.cancel(JOB.id).state == "cancelled"
    assert queue.retry(JOB.id).state == "waiting"
    with pytest.raises(RefusedError, match="waiting"):
        queue.retry(JOB.id)


def test_unknown_job_is_an_error_that_names_it(queue):
    with pytest.raises(InputError, match="'sweep-0'"):
        queue.job("sweep-0")


def test_limits_are_read_back_as_they_were_set(queue):
    assert queue.limits() == QueueLimits(2)
    queue.limit(QueueLimits(3, 30, 60))
    assert queue.limits() == QueueLimits(3, 30, 60)


def test_schedule_is_replaced_by_one_of_its_name_and_goes_when_it_is_told_to(queue):
    queue.schedule("ticks", "* * * * *", replace(JOB, kind="tick"))
    queue.schedule("ticks", "*/5 * * * *", replace(JOB, kind="tick"))
    (found,) = queue.schedules()
    assert (found.name, found.cron, found.kind, found.place) == ("ticks", "*/5 * * * *", "tick", "/srv/shop")
    queue.unschedule("ticks")
    assert not queue.schedules()
    with pytest.raises(InputError, match="ticks"):
        queue.unschedule("ticks")


@pytest.mark.parametrize(
    ("name", "cron"), [("ticks", "every day"), ("ticks", "0 0 31 2 *"), ("t\x1b[31m", "* * * * *"), ("", "* * * * *")]
)
def test_what_never_comes_or_has_no_name_is_no_schedule(queue, name, cron):
    with pytest.raises(UsageError, match="is no"):
        queue.schedule(name, cron, JOB)
    assert not queue.schedules()


def test_a_job_of_more_than_64_kib_is_refused(queue):
    with pytest.raises(UsageError, match="65,536"):
        queue.add(replace(JOB, files=("a" * 70_000,)))
    assert not queue.jobs()


def test_a_number_that_the_database_cannot_hold_does_not_call_the_history_damaged(queue):
    with pytest.raises(InputError, match=r"does not take this: .*out of range"):
        queue.limit(QueueLimits(1, 10**13, 1))


def test_words_that_are_no_schedule_leave_the_one_that_is_there(queue):
    queue.schedule("ticks", "* * * * *", JOB)
    with pytest.raises(UsageError):
        queue.schedule("ticks", "every day", JOB)
    assert [one.cron for one in queue.schedules()] == ["* * * * *"]


def test_every_time_of_a_schedule_is_an_occasion_of_its_own():
    first, second = (job_due(JOB.told(), f"2026-01-01T00:0{minute}:00Z") for minute in (1, 2))
    assert first.id != second.id
    assert first.id == job_due(JOB.told(), "2026-01-01T01:01:00+01:00").id


@pytest.mark.parametrize("made", ["", "CREATE SCHEMA dbos; CREATE TABLE dbos.queues (name text)"])
def test_queue_whose_making_was_killed_is_made_to_its_end(postgres, made):
    with postgres.database() as url:
        if made:
            postgres.sql(made, url)
        with closing(open_database(url)) as database:
            assert not queue_exists(database)
            postgres.sql("DROP SCHEMA IF EXISTS dbos CASCADE", url)
            with open_queue(queue_url(url), made=False):
                assert queue_exists(database)


def test_only_jobs_that_ended_long_ago_are_forgotten(queue):
    queue.add(JOB)
    queue.add(replace(JOB, key="later"))
    queue.cancel(JOB.id)
    now = datetime.now(UTC)
    assert queue.forget(days=1, now=now) == ()
    assert queue.forget(days=1, now=now + timedelta(days=2)) == (JOB.id,)
    assert len(queue.jobs()) == 1


@pytest.mark.parametrize("text", [None, "sqlite:////tmp/history.db"])
def test_without_postgres_there_is_no_queue(text):
    with pytest.raises(UsageError, match="PACTKEEPER_DATABASE_URL"):
        queue_url(text)


def test_postgres_that_cannot_be_reached_is_named_without_the_password(queue_template):
    place = queue_url("postgresql://ada:secret@127.0.0.1:9/shop")
    with pytest.raises(StoreUnavailable, match=r"'shop' on 127\.0\.0\.1:9") as told, open_queue(place, made=True):
        pass
    assert "secret" not in str(told.value)
