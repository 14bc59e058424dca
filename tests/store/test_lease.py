import os
import signal

import pytest

from pactkeeper.errors import BusyError, StoreUnavailable, WriteFailed
from pactkeeper.store.database import open_database
from pactkeeper.store.lease import Waiting, holder, is_held, lease
from tests.store.processes import run, waiting
from tests.waiting import PATIENCE

HOLDER = """
from pactkeeper.store.lease import lease
with lease(open_database(url), repository, folder=Path(rest[0])):
    print(os.getpid(), flush=True)
    sys.stdin.read()
"""
SHORT = Waiting(0.0)


@pytest.fixture
def place(database, repository, tmp_path):
    """What every call on the lease of one repository takes."""

    def call(function, name=repository, **given):
        return function(database, name, folder=tmp_path / name, **given)

    return call


def test_a_lease_is_free_before_and_after(place):
    assert not place(is_held)
    with place(lease):
        assert place(is_held)
        assert place(holder).endswith(f":{os.getpid()}")
    assert place(holder) == ""


def test_one_process_alone_has_the_lease(place, url, repository, tmp_path):
    with waiting(HOLDER, url, repository, tmp_path / repository) as other:
        with pytest.raises(BusyError, match=rf":{other.said} runs on this repository; wait for it"), place(lease):
            pass
        assert place(holder).endswith(f":{other.said}")
    with place(lease):
        assert place(holder).endswith(f":{os.getpid()}")


def test_the_same_process_takes_it_once(place):
    with place(lease):
        with pytest.raises(BusyError, match=f":{os.getpid()} runs on this repository"), place(lease):
            pass
        assert place(is_held)


def test_a_killed_process_holds_nothing(place, url, repository, tmp_path):
    with waiting(HOLDER, url, repository, tmp_path / repository) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        with place(lease, waiting=Waiting(PATIENCE)):
            assert place(holder).endswith(f":{os.getpid()}")


@pytest.mark.slow
def test_who_waits_is_told_once_for_whom_and_goes_on_when_it_ends(place, url, repository, tmp_path):
    told = []
    with waiting(HOLDER, url, repository, tmp_path / repository) as other:

        def tell(text):
            told.append(text)
            other.send_signal(signal.SIGTERM)

        with place(lease, waiting=Waiting(None, tell)):
            assert place(is_held)
    assert len(told) == 1
    assert told[0].endswith(f":{other.said}, which runs on this repository")


@pytest.mark.slow
def test_asking_about_a_lease_takes_it_from_nobody(place, url, repository, tmp_path):
    asking = """
    from pactkeeper.store.lease import holder
    database = open_database(url)
    print("asking", flush=True)
    while True:
        holder(database, repository, folder=Path(rest[0]))
    """
    with place(lease):
        pass
    with waiting(asking, url, repository, tmp_path / repository) as other:
        for _ in range(20):
            with place(lease, waiting=Waiting(PATIENCE)):
                pass
        other.kill()


def test_two_repositories_run_at_once(place):
    with place(lease), place(lease, name="another"):
        assert place(is_held)
        assert place(is_held, name="another")


def test_a_lease_that_stands_is_ensured(place):
    with place(lease) as held:
        held.ensure()


def test_a_lease_let_go_early_is_free_and_not_let_go_twice(place):
    with place(lease) as held:
        held.release()
        assert not place(is_held)
        with place(lease):
            held.release()
            assert place(is_held)


FORKED = """
from pactkeeper.store.lease import lease
with lease(open_database(url), repository, folder=Path(rest[0])):
    if not os.fork():
        os.close(1)
        os.close(2)
        sys.stdin.read()  # as long as the test lasts
        os._exit(0)
    print(os.getpid(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_forked_worker_that_outlives_its_killed_parent_holds_nothing(place, url, repository, tmp_path):
    with waiting(FORKED, url, repository, tmp_path / repository) as other:
        other.wait(PATIENCE)
        with place(lease, waiting=Waiting(PATIENCE)):
            assert place(holder).endswith(f":{os.getpid()}")


@pytest.mark.slow
def test_a_session_that_ended_has_lost_the_lease(migrated_postgres, postgres, repository, tmp_path):
    database = open_database(migrated_postgres)
    with lease(database, repository, folder=tmp_path) as held:
        assert is_held(database, repository, folder=tmp_path)
        name = database.address.url.database
        postgres.end_sessions(name)
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match=r"the lease on this repository was lost.*run again"):
                held.ensure()
        with lease(database, repository, folder=tmp_path):
            assert is_held(database, repository, folder=tmp_path)
    assert not is_held(database, repository, folder=tmp_path)
    database.close()


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(migrated_copy, repository, tmp_path):
    database = open_database(f"sqlite:///{migrated_copy}")
    (tmp_path / "state").write_text("")
    with pytest.raises(WriteFailed, match="the lease '"), lease(database, repository, folder=tmp_path / "state"):
        pass
    database.close()


def test_the_history_is_written_while_a_lease_is_held(url, repository, tmp_path):
    script = """
    from pactkeeper.store.lease import lease
    from pactkeeper.store.runs import list_runs
    history = History(open_database(url), repository)
    with lease(history.database, repository, folder=Path(rest[0])):
        begin_run(history)
        print(len(list_runs(history)))
    """
    assert run(script, url, repository, tmp_path) == "1\n"
