import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from pactkeeper.errors import BusyError, InputError, StoreUnavailable, UsageError, WriteFailed
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.store.runs import find_run, list_runs, records_of, save_records, update_run
from tests.store.rows import begin_run, make_record
from tests.waiting import PATIENCE

SECRET = "s3cr3t-word"


@contextmanager
def opened(url, repository, **settings):
    database = open_database(url, **settings)
    try:
        yield History(database, repository)
    finally:
        database.close()


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "postgresql://ada:{}@host:port/db", "mysql://ada:{}@host/db", "sqlite://", "sqlite:///:memory:"],
)
def test_a_url_that_cannot_be_used_is_not_repeated(text):
    with pytest.raises(
        UsageError, match=r"write PACTKEEPER_DATABASE_URL as sqlite:////path/history\.db or postgresql://"
    ) as caught:
        open_database(text.format(SECRET))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("path", ["a b/history.db", "a%20b/h#1?.db", "é/history.db"])
def test_any_path_makes_a_url(tmp_path, path):
    with opened(sqlite_url(tmp_path / path), "shop") as history:
        begin_run(history)
    assert (tmp_path / path).is_file()


def test_a_missing_driver_is_named_with_what_installs_it():
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from pactkeeper.store.database import open_database\n"
        "try: open_database('postgresql://host/db')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("UsageError ")
    assert "pip install 'pactkeeper[postgres]'" in done.stdout


def test_a_locked_file_is_busy_and_takes_the_write_later(migrated_copy, repository):
    with opened(sqlite_url(migrated_copy), repository, patience=0.1) as history:
        begin_run(history)
        with closing(sqlite3.connect(migrated_copy, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(BusyError, match=r"history\.db' is in use by another process.*try again"):
                begin_run(history, "REC-2")
            assert [run.id for run in list_runs(history)] == ["REC-1"], "readers do not wait"
        begin_run(history, "REC-2")
    assert migrated_copy.is_file()


def test_a_long_wait_for_a_file_is_told_and_ends_with_it(migrated_copy, repository):
    told = []
    with closing(sqlite3.connect(migrated_copy, isolation_level=None)) as other:

        def hear(words):
            told.append(words)
            other.execute("ROLLBACK")

        with opened(sqlite_url(migrated_copy), repository, tell=hear) as history:
            begin_run(history)
            assert told == [], "a lock that is free needs no word"
            other.execute("BEGIN IMMEDIATE")
            begin_run(history, "REC-2")
            assert [run.id for run in list_runs(history)] == ["REC-2", "REC-1"]
    (words,) = told
    assert words.startswith("waiting for another process, which writes to the history")


def test_a_locked_row_is_busy_and_takes_the_write_later(migrated_postgres, repository):
    with opened(migrated_postgres, repository, patience=0.1) as history, opened(migrated_postgres, repository) as other:
        run = begin_run(history)
        with other.database.begin() as connection:
            connection.exec_driver_sql("SELECT * FROM runs FOR UPDATE")
            with pytest.raises(BusyError, match=r"is in use by another process.*try again"):
                update_run(history, replace(run, phase="context"))
        update_run(history, replace(run, phase="context"))
        assert [one.phase for one in list_runs(history)] == ["context"]


def test_two_writers_that_wait_for_each_other_do_not_wait_forever(migrated_postgres, repository):
    with opened(migrated_postgres, repository) as history:
        begin_run(history)
        save_records(history, [make_record(test="a"), make_record(test="b")])
        meet, busy = threading.Barrier(2, timeout=PATIENCE), []

        def write(*names):
            try:
                with history.database.begin():
                    for name in names:
                        save_records(history, [make_record(test=name)])
                        if name == names[0]:
                            meet.wait()
            except BusyError as error:
                busy.append(error)

        other = threading.Thread(target=write, args=("a", "b"))
        other.start()
        write("b", "a")
        other.join()
        assert len(busy) == 1


@pytest.mark.parametrize("content", [b"not a database at all, " * 400, b"SQLite format 3\0" + b"\1" * 5000])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, content):
    place = tmp_path / "history.db"
    place.write_bytes(content)
    with pytest.raises(InputError, match=r"history\.db' is not a history that can be read.*move it away"):
        open_database(sqlite_url(place))
    assert place.read_bytes() == content


def test_a_damaged_file_is_refused(migrated_copy, repository):
    with opened(sqlite_url(migrated_copy), repository) as history:
        begin_run(history)
        save_records(history, (make_record(test=f"test {number}") for number in range(2000)))
    size = migrated_copy.stat().st_size
    with migrated_copy.open("r+b") as file:
        for place in range(8192, size, 4096):
            file.seek(place)
            file.write(b"\xff" * 64)
    with (
        pytest.raises(InputError, match="is not a history that can be read"),
        opened(sqlite_url(migrated_copy), repository) as history,
    ):
        list(records_of(history, "REC-1"))


def test_a_folder_in_place_of_the_file_is_an_error_of_ours(tmp_path):
    (tmp_path / "history.db").mkdir()
    with pytest.raises(WriteFailed, match=r"history\.db' cannot be written"):
        open_database(sqlite_url(tmp_path / "history.db"))


def test_a_file_where_the_folder_should_be_is_an_error_of_ours(tmp_path):
    (tmp_path / "state").write_text("")
    with pytest.raises(WriteFailed, match="the folder of the history"):
        open_database(sqlite_url(tmp_path / "state" / "history.db"))


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 2 MB, where this process may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no tmpfs may be mounted here: {done.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_keeps_what_was_there_and_takes_more_once_there_is_room(small_disk, repository):
    with opened(sqlite_url(small_disk / "history.db"), repository) as history:
        begin_run(history)
        save_records(history, [make_record()])
        big = [make_record(test=f"test {number}", inference="x" * 2000) for number in range(2000)]
        with pytest.raises(WriteFailed, match=r"cannot be written.*nothing of this step was stored"):
            save_records(history, big)
        assert list(records_of(history, "REC-1")) == [make_record()]
        subprocess.run(["mount", "-o", "remount,size=20m", small_disk], check=True)
        save_records(history, big)
        assert len(list(records_of(history, "REC-1"))) == 2001


def test_a_disk_that_may_only_be_read_is_an_error_of_ours(small_disk, repository):
    url = sqlite_url(small_disk / "history.db")
    with opened(url, repository) as history:
        begin_run(history)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(WriteFailed, match="allow writing"), opened(url, repository) as history:
        begin_run(history, "REC-2")
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    with opened(url, repository) as history:
        assert [run.id for run in list_runs(history)] == ["REC-1"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_an_error_of_ours(migrated_copy, repository):
    migrated_copy.chmod(0o400)
    with pytest.raises(WriteFailed), opened(sqlite_url(migrated_copy), repository) as history:
        begin_run(history)


def test_a_full_disk_under_postgres_is_told_from_a_lost_server(postgres, small_disk, repository):
    if not postgres.ours:
        pytest.skip("the disk of a server elsewhere is not ours to fill")
    subprocess.run(["mount", "-o", "remount,size=24m", small_disk], check=True)
    small_disk.chmod(0o777)
    for folder in small_disk.parents:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o001)
    with (
        postgres.tablespace(small_disk) as space,
        postgres.database(f"TABLESPACE {space}") as url,
        opened(url, repository) as history,
    ):
        begin_run(history)
        big = (make_record(test=f"test {number}", inference=os.urandom(8000).hex()) for number in range(3000))
        with pytest.raises(WriteFailed, match=r"No space left on device.*nothing of this step was stored"):
            save_records(history, big)
        assert list(records_of(history, "REC-1")) == []
        save_records(history, [make_record()])


@pytest.fixture
def apart(postgres, repository):
    """A history on a database that no other test uses."""
    with postgres.database() as url, opened(url, repository) as history:
        yield history


def test_a_session_ended_between_two_steps_is_not_noticed(postgres, apart):
    begin_run(apart)
    postgres.end_sessions(apart.database.address.url.database)
    begin_run(apart, "REC-2")
    postgres.end_sessions(apart.database.address.url.database)
    assert len(list_runs(apart)) == 2


def test_a_session_ended_within_a_step_takes_all_of_it_back(postgres, apart):
    def step():
        with apart.database.begin():
            begin_run(apart)
            postgres.end_sessions(apart.database.address.url.database)
            begin_run(apart, "REC-2")

    with pytest.raises(StoreUnavailable, match=r"cannot be reached.*try again"):
        step()
    assert list_runs(apart) == ()
    begin_run(apart)
    assert find_run(apart, "REC-1") is not None


def test_a_server_that_restarts_is_met_again(postgres, apart):
    if not postgres.ours:
        pytest.skip("a server elsewhere is not ours to stop")
    begin_run(apart)
    with postgres.away(), pytest.raises(StoreUnavailable, match=r"cannot be reached.*see that its server runs"):
        begin_run(apart, "REC-2")
    begin_run(apart, "REC-2")
    assert [run.id for run in list_runs(apart)] == ["REC-2", "REC-1"]


@pytest.mark.parametrize("place", [f"ada:{SECRET}@127.0.0.1:1/history", f"ada@127.0.0.1:1/history?password={SECRET}"])
def test_a_server_that_is_not_there_is_named_without_the_password(postgres, place):
    with pytest.raises(StoreUnavailable, match=r"'history' on 127\.0\.0\.1:1 cannot be reached") as caught:
        open_database(f"postgresql://{place}")
    assert SECRET not in str(caught.value)


def test_no_text_of_an_open_history_holds_a_password(migrated_postgres, repository):
    asked = "&" if "?" in migrated_postgres else "?"
    with opened(f"{migrated_postgres}{asked}password={SECRET}", repository) as history:
        assert SECRET not in f"{history} {history!r} {history.database!r} {history.database.address}"


def test_a_database_that_is_not_there_is_named(postgres):
    with pytest.raises(StoreUnavailable, match=r"'pk_nowhere'.*does not exist"):
        open_database(postgres.of("pk_nowhere"))


def test_a_database_without_unicode_is_refused(postgres):
    with (
        postgres.database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0") as url,
        pytest.raises(InputError, match=r"LATIN1.*UTF8"),
    ):
        open_database(url)


def test_text_that_is_no_text_is_refused(history):
    with pytest.raises(InputError, match="invalid character"):
        begin_run(history, error="\udcff")
