"""What a process may write while a job is its own, and no longer."""

import pytest
from sqlalchemy import text

from pactkeeper.errors import HandedOver
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.health import leave_receipt, receipt_of
from pactkeeper.store.owner import Fence

JOBS = "CREATE SCHEMA dbos; CREATE TABLE dbos.workflow_status (workflow_uuid text PRIMARY KEY, owner_xid text)"


@pytest.fixture
def url(postgres):
    """A database with as much of the queue's table as the fence reads."""
    with postgres.database() as made:
        open_database(made).close()
        for statement in (*JOBS.split("; "), "INSERT INTO dbos.workflow_status VALUES ('sweep-1', 'mine')"):
            postgres.sql(statement, made)
        yield made


def opened(url, held="mine", *, place=None):
    return open_database(place or url, fence=Fence("sweep-1", held, url), patience=1)


def write(database):
    with database.begin() as connection:
        leave_receipt(connection, database, {"exit": 0})
        connection.execute(text("DELETE FROM timers"))


def test_owner_of_a_job_writes_and_leaves_one_receipt(url):
    database = opened(url)
    write(database)
    write(database)
    assert receipt_of(database, "sweep-1") == {"exit": 0}
    database.close()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_nothing_is_written_once_a_job_is_anothers(url, tmp_path, elsewhere):
    place = sqlite_url(tmp_path / "history.db") if elsewhere else None
    if place:
        open_database(place).close()
    database = opened(url, "old", place=place)
    with pytest.raises(HandedOver, match="sweep-1"):
        write(database)
    database.close()


def test_job_is_not_handed_over_in_the_middle_of_a_write(url, postgres):
    database = opened(url)
    taking = "SET lock_timeout = '200ms'; UPDATE dbos.workflow_status SET owner_xid = NULL"
    with database.begin(), pytest.raises(Exception, match="lock timeout"):
        postgres.sql(taking, url)
    postgres.sql("UPDATE dbos.workflow_status SET owner_xid = NULL", url)
    with pytest.raises(HandedOver):
        write(database)
    database.close()


def test_sessions_of_a_job_bear_its_token(url, postgres):
    database = opened(url)
    with database.begin():
        names = {name for (name,) in postgres.sql("SELECT application_name FROM pg_stat_activity", url)}
    assert "pactkeeper job mine" in names
    database.close()


def test_process_that_runs_no_job_has_no_fence():
    assert Fence.of("", "postgresql:///shop") is None
    assert Fence.of("sweep-1 mine", None) is None
    assert Fence.of("sweep-1 mine", "postgresql:///shop") == Fence("sweep-1", "mine", "postgresql:///shop")
