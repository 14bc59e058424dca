"""A worker whose life is over gives its jobs back; none of them counts as failed."""

from contextlib import nullcontext

import pytest
from sqlalchemy import text

from pactkeeper.errors import HandedOver
from pactkeeper.jobs.job import Job
from pactkeeper.jobs.worker import Manner, _Life
from pactkeeper.store.workers import register, tell_state
from tests.jobs.test_turns import run

JOB = Job("check", "git-1", "/srv/shop", "abc")


def test_a_job_that_came_to_a_worker_after_its_end_waits_for_another_one(queue, database, tmp_path):
    told: list[str] = []
    life = _Life(database, queue, Manner(4.0, 0.0, lambda _: nullcontext(tmp_path), "1", told.append))
    register(database, life.id, host="here", process=1, version="1")
    tell_state(database, life.id, "ended")
    queue.add(JOB)
    run(database, JOB, "mine")
    with database.begin() as connection:
        named = {"worker": life.id, "job": JOB.id}
        connection.execute(
            text("UPDATE dbos.workflow_status SET executor_id = :worker WHERE workflow_uuid = :job"), named
        )
    life.over.set()
    with pytest.raises(HandedOver):
        life.perform(JOB.id, JOB)
    assert queue.job(JOB.id).state == "waiting"
    assert f"{JOB.id} is taken from {life.id}, which is gone" in told
