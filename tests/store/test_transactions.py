import threading
from contextlib import suppress

import pytest

from pactkeeper.errors import InputError, WriteFailed
from pactkeeper.store.decisions import load_patch
from pactkeeper.store.runs import find_run, list_runs, records_of, save_records
from tests.store.processes import finish, killed, run, start
from tests.store.rows import begin_run, make_patch, make_record

pytestmark = pytest.mark.slow


def test_what_is_written_in_one_transaction_is_there_at_its_end(history):
    with history.database.begin():
        begin_run(history, "REC-1")
        save_records(history, [make_record()])
    assert len(list(records_of(history, "REC-1"))) == 1


def test_an_error_takes_all_of_a_transaction_back(history):
    def step():
        with history.database.begin():
            begin_run(history, "REC-1")
            save_records(history, [make_record()])
            save_records(history, [make_record("REC-9")])

    with pytest.raises(InputError, match="no run"):
        step()
    assert list_runs(history) == ()


def test_a_part_that_fails_is_taken_back_and_the_rest_goes_on(history):
    with history.database.begin():
        begin_run(history, "REC-1")
        with pytest.raises(InputError, match="no run"):
            save_records(history, [make_record(), make_record("REC-9")])
        save_records(history, [make_record(test="kept")])
    assert [one.test_id for one in records_of(history, "REC-1")] == ["kept"]


def test_a_transaction_reads_what_it_has_written(history):
    with history.database.begin():
        begin_run(history, "REC-1")
        assert find_run(history, "REC-1") is not None


def test_what_is_read_together_is_of_one_state(history):
    def write():
        begin_run(history, "REC-2")

    begin_run(history, "REC-1")
    with history.database.together():
        before = [one.id for one in list_runs(history)]
        other = threading.Thread(target=write)
        other.start()
        other.join()
        assert [one.id for one in list_runs(history)] == before == ["REC-1"]
    assert {one.id for one in list_runs(history)} == {"REC-1", "REC-2"}


def test_nobody_else_sees_half_of_a_transaction(history):
    seen = []

    def look():
        seen.append(list_runs(history))

    with history.database.begin():
        begin_run(history, "REC-1")
        other = threading.Thread(target=look)
        other.start()
        other.join()
    assert seen == [()]


def test_all_that_is_read_at_once_is_one_state(history):
    begin_run(history, "REC-1")

    def write():
        begin_run(history, "REC-2")

    with history.database.read() as connection:
        before = connection.exec_driver_sql("SELECT count(*) FROM runs").scalar()
        other = threading.Thread(target=write)
        other.start()
        other.join()
        assert connection.exec_driver_sql("SELECT count(*) FROM runs").scalar() == before
    assert len(list_runs(history)) == 2


def test_what_is_written_while_reading_is_not_kept(history):
    begin_run(history)
    with suppress(WriteFailed), history.database.read() as connection:
        connection.exec_driver_sql("DELETE FROM runs")
    assert len(list_runs(history)) == 1


KILLED_INSIDE = """
from pactkeeper.store.runs import save_records
history = History(open_database(url), repository)
begin_run(history)
def rows():
    for number in range(3000):
        if number == 2345:
            os.kill(os.getpid(), signal.SIGKILL)
        yield make_record(test=f"test {number}")
save_records(history, rows())
"""


def test_a_process_killed_in_a_transaction_leaves_nothing_of_it(history, url):
    killed(KILLED_INSIDE, url, history.repository)
    assert [run.id for run in list_runs(history)] == ["REC-1"]
    assert list(records_of(history, "REC-1")) == []
    save_records(history, [make_record()])


KILLED_AFTER = """
from pactkeeper.store.decisions import save_patch
history = History(open_database(url), repository)
begin_run(history)
save_patch(history, "REC-1", make_patch([f"IA-{n}" for n in range(600)]))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_killed_after_a_transaction_leaves_all_of_it(history, url):
    killed(KILLED_AFTER, url, history.repository)
    patch = make_patch([f"IA-{number}" for number in range(600)])
    assert load_patch(history, patch.id) == patch


WRITER = """
from pactkeeper.store.runs import save_records
history = History(open_database(url), repository)
sys.stdin.read()
for number in range(40):
    save_records(history, [make_record(test=f"{rest[0]} {number}"), make_record(test="shared", line_number=number)])
"""


def test_writers_in_several_processes_lose_nothing(history, url):
    begin_run(history)
    writers = [start(WRITER, url, history.repository, name) for name in "abc"]
    for writer in writers:
        finish(writer)
    names = sorted([f"{name} {number}" for name in "abc" for number in range(40)] + ["shared"])
    assert [one.test_id for one in records_of(history, "REC-1")] == names


OPENER = """
sys.stdin.readline()
history = History(open_database(url), repository)
begin_run(history, rest[0])
"""


def test_several_processes_may_open_an_empty_database_at_once(empty_url):
    openers = [start(OPENER, empty_url, "shop", f"REC-{number}") for number in range(3)]
    for opener in openers:
        finish(opener)
    found = run(
        """
        from pactkeeper.store.runs import list_runs
        print(*sorted(run.id for run in list_runs(History(open_database(url), repository))))
        """,
        empty_url,
        "shop",
    )
    assert found.split() == ["REC-0", "REC-1", "REC-2"]


FORKED = """
from pactkeeper.store.runs import list_runs
history = History(open_database(url), repository)
begin_run(history)
child = os.fork()
if not child:
    sys.exit(0 if len(list_runs(history)) == 1 else 1)
assert os.waitpid(child, 0)[1] == 0
begin_run(history, "REC-2")
print(len(list_runs(history)))
"""


def test_a_forked_child_may_use_the_history_and_leaves_its_parents_connections_alone(url, repository):
    assert run(FORKED, url, repository) == "2\n"
