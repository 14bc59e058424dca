"""The run of a job whose process was killed: whoever goes on with the job ends with exactly one."""

from dataclasses import dataclass
from itertools import count

import pytest
from sqlalchemy import text

from pactkeeper.jobs.job import Job
from pactkeeper.settings.environment import JOB_VARIABLE
from pactkeeper.store.health import receipt_of
from tests.jobs.test_turns import run
from tests.reconcile.dying import Death, Place, in_a_process, reconcile
from tests.repo.repositories import create

pytestmark = pytest.mark.slow

KILLED = -9
NODES = ["persist", pytest.param("verify", marks=pytest.mark.slow)]


@dataclass(frozen=True)
class Taken(Place):
    """A work tree as a process of a job sees it: with the token by which it may write."""

    job: str = ""

    @property
    def environment(self):
        return {**super().environment, JOB_VARIABLE: self.job}


@pytest.fixture
def shop(tmp_path, url):
    """A repository in which there is nothing to ask a person, so that a run goes through to its end."""
    create(tmp_path / "shop", {"README.md": "A shop.\n"})
    return Place(tmp_path / "shop", url)


@pytest.fixture
def execute(shop, queue, database):
    """Give a job to a new process, which takes it from the one before; gives how that process ended."""

    tokens = count()

    def executed(commit, death=None):
        job = Job("reconcile", "git-1", "/srv/shop", commit)
        queue.add(job)
        token = f"token-{next(tokens)}"
        run(database, job, token)
        return in_a_process(reconcile, Taken(shop.root, shop.database, f"{job.id} {token}"), death)

    return executed


def runs(database):
    with database.read() as connection:
        return list(connection.execute(text("SELECT status FROM runs ORDER BY number")).scalars())


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("node", NODES)
def test_a_job_that_is_taken_over_ends_the_run_that_it_began(execute, database, node, moment):
    assert execute("abc", Death(node, moment)) == KILLED
    assert runs(database) == ["running"]
    assert execute("abc") == 0
    assert runs(database) == ["completed"]


def test_a_job_that_is_taken_over_after_its_run_ended_begins_no_other_one(execute, database):
    assert execute("abc") == 0
    assert execute("abc") == 0
    assert runs(database) == ["completed"]


@pytest.mark.parametrize("node", NODES)
def test_a_job_that_comes_in_between_has_a_run_of_its_own(execute, database, node):
    assert execute("abc", Death(node, "after")) == KILLED
    assert execute("def") == 0
    assert execute("abc") == 0
    assert runs(database) == ["completed", "completed"]


def test_a_job_that_was_cancelled_with_its_run_begins_another_one(execute, database):
    assert execute("abc", Death("verify", "before")) == KILLED
    with database.begin() as connection:
        connection.execute(text("UPDATE runs SET status = 'cancelled'"))
    assert execute("abc", Death("persist", "after")) == KILLED
    assert execute("abc") == 0
    assert runs(database) == ["cancelled", "completed"]


def test_a_job_that_only_ended_an_earlier_run_is_not_done(shop, execute, database):
    assert in_a_process(reconcile, shop) == 0
    with database.begin() as connection:
        connection.execute(text("UPDATE runs SET status = 'paused'"))
    assert execute("abc", Death("structure", "before")) == KILLED
    assert runs(database) == ["completed", "running"]
    assert receipt_of(database, Job("reconcile", "git-1", "/srv/shop", "abc").id) is None
