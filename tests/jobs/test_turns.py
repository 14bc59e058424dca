from sqlalchemy import text

from pactkeeper.jobs.job import Job
from pactkeeper.store.workers import take_turn


def run(database, job, token):
    """What the queue says once a worker has taken a job."""
    statement = text(
        "UPDATE dbos.workflow_status SET status = 'PENDING', owner_xid = :token WHERE workflow_uuid = :job"
    )
    with database.begin() as connection:
        connection.execute(statement, {"job": job.id, "token": token})


def test_of_two_jobs_given_out_for_one_subject_one_has_its_turn(queue, database):
    first, second = (Job(kind, "git-1", "/srv/shop", "abc") for kind in ("check", "tick"))
    for job in (first, second):
        queue.add(job)
        run(database, job, "mine")
    assert take_turn(database, "git-1", first.id, "mine")
    assert take_turn(database, "git-1", first.id, "mine")
    assert not take_turn(database, "git-1", second.id, "mine")
    assert take_turn(database, "git-2", second.id, "mine")


def test_turn_ends_when_the_job_ends_or_is_anothers(queue, database):
    first, second = (Job(kind, "git-1", "/srv/shop", "abc") for kind in ("check", "tick"))
    for job in (first, second):
        queue.add(job)
        run(database, job, "mine")
    take_turn(database, "git-1", first.id, "mine")
    run(database, first, "another")
    assert take_turn(database, "git-1", second.id, "mine")
