"""A server of a team, restored to a point in time from a base backup and its write-ahead log."""

import os
import shutil
import subprocess

import pytest

from pactkeeper.jobs.queue import open_queue, queue_url
from pactkeeper.store.database import open_database
from pactkeeper.store.health import receipt_of
from tests.jobs.conftest import Team
from tests.jobs.test_worker import sweeps
from tests.postgres import _become, _programs, _user, start_server
from tests.waiting import until

POINT = "before_the_accident"


@pytest.fixture
def archived(tmp_path_factory):
    """A Postgres that archives its write-ahead log; a base backup is taken with its own program."""
    pytest.importorskip("dbos")
    archive = tmp_path_factory.mktemp("archive")
    archive.chmod(0o777)
    for one in archive.parents[:3]:
        one.chmod(one.stat().st_mode | 0o055)
    server = start_server(archive_mode="on", archive_command=f"cp %p {archive}/%f", archive_timeout="1")
    if not server.ours:
        pytest.skip("the server is not ours to restore")
    yield server, archive
    server.stop()
    if server.folder is not None:
        shutil.rmtree(server.folder, ignore_errors=True)


def as_postgres(program, *arguments):
    command = [*_become(_user()), _programs() / program, *arguments]
    subprocess.run([str(part) for part in command], check=True, capture_output=True, env={**os.environ, "LC_ALL": "C"})


def restore(server, backup, archive):
    """Stop the server and bring it back as it was at the point."""
    server.stop()
    data = server.folder / "data"
    shutil.rmtree(data)
    backup.rename(data)
    (data / "recovery.signal").touch()
    recovery = {
        "restore_command": f"cp {archive}/%f %p",
        "recovery_target_name": POINT,
        "recovery_target_action": "promote",
    }
    was = server.command
    server.command = [*was, *(part for name, value in recovery.items() for part in ("-c", f"{name}={value}"))]
    server.start()
    until(lambda: server.sql("SELECT pg_is_in_recovery()") == [(False,)], "the end of the recovery")


def archived_until(server):
    """The last segment of the log that the archive holds; names sort as segments do."""
    ((name,),) = server.sql("SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver")
    return name


@pytest.mark.slow
def test_after_a_restore_to_a_point_in_time_no_job_is_lost_and_none_has_stored_twice(archived, tmp_path):
    server, archive = archived
    url = server.url
    open_database(url).close()
    with open_queue(queue_url(url), made=False) as queue:
        team = Team(tmp_path, url, queue)
        first = team.add("sweep", at=team.repository())
        worker = team.worker()
        team.ends(first)
        backup = server.folder / "backup"
        as_postgres("pg_basebackup", "--pgdata", backup, "--checkpoint=fast", "--wal-method=stream", "--dbname", url)
        team.hold.touch()
        second = team.add("sweep", "--again", at=team.folder / "shop")
        until(lambda: team.log.count("begin") == 2, "the second sweep")
        server.sql(f"SELECT pg_create_restore_point('{POINT}')")
        team.hold.unlink()
        team.ends(second)
        ((segment,),) = server.sql("SELECT pg_walfile_name(pg_switch_wal())")
        until(lambda: archived_until(server) >= segment, "the archive of the log")
        worker.kill()
        worker.wait()
    restore(server, backup, archive)
    with open_queue(queue_url(url), made=True) as queue:
        team = Team(tmp_path, url, queue, team.workers)
        assert (team.state(first), team.state(second)) == ("done", "running")
        database = open_database(url)
        assert (sweeps(database), receipt_of(database, second)) == (1, None)
        team.worker()
        assert team.ends(second).state == "done", team.said(1)
        assert sweeps(database) == 2
        assert team.state(first) == "done"
        database.close()
        team.end()
