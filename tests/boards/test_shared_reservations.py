"""Reservations of a board: in a file of one machine, or in the history that several hosts share."""

from dataclasses import replace

import pytest

from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.port import Reservation
from pactkeeper.boards.writing import FileLog, LoggedReservations, write
from pactkeeper.errors import BusyError, HandedOver
from pactkeeper.intent.board import CreateTask, ReviseTask
from pactkeeper.store.actions import StoredLog
from pactkeeper.store.database import open_database
from pactkeeper.store.owner import Fence

AT = "2026-03-01T09:00:00+00:00"
KEY = "op-000001"
CHANGE = CreateTask("Buy milk")


@pytest.fixture(params=["file", "postgres"])
def hosts(request, tmp_path):
    """Two processes, which for the history are two connections."""
    if request.param == "file":
        yield tuple(FileLog(tmp_path / "kept.jsonl") for _ in range(2))
        return
    made = [open_database(request.getfixturevalue("url")) for _ in range(2)]
    yield tuple(StoredLog(one, "home-1") for one in made)
    for one in made:
        one.close()


def test_what_one_host_reserved_and_wrote_another_finds(hosts, tmp_path):
    first, second = map(LoggedReservations, hosts)
    first.reserve(Reservation(KEY, CHANGE, AT, before={"x": 1}))
    assert second.held(KEY) == Reservation(KEY, CHANGE, AT, before={"x": 1})
    board = LocalBoard("home", tmp_path / "board")
    written = write(board, CHANGE, KEY, reservations=first, at=AT)
    assert write(board, CHANGE, KEY, reservations=second, at=AT) == replace(written, outcome="found")
    assert len(board.snapshot(at=AT).tasks) == 1


def test_the_text_of_a_ticket_is_the_one_written_last_and_only_once_it_is_written(hosts, tmp_path):
    first, second = map(LoggedReservations, hosts)
    board = LocalBoard("home", tmp_path / "board")
    made = write(board, CreateTask("Buy milk", "- [ ] one"), "thread-1", reservations=first, at=AT)
    write(board, CreateTask("Buy oil", "- [ ] mine"), KEY, reservations=first, at=AT)
    second.reserve(Reservation("thread-3", CreateTask("Buy tea", "- [ ] tea"), AT))
    assert second.bodies("thread-") == {made.target: "- [ ] one"}
    task = board.task(made.target)
    revised = ReviseTask(made.target, "Buy milk", "- [ ] two", old_title=task.title, old_body=task.body)
    write(board, revised, "thread-2", reservations=second, at=AT)
    assert first.bodies("thread-") == {made.target: "- [ ] two"}


def test_what_was_given_up_is_forgotten_everywhere(hosts):
    first, second = map(LoggedReservations, hosts)
    first.reserve(Reservation(KEY, CHANGE, AT))
    assert second.held(KEY)
    first.give_up(KEY)
    assert second.held(KEY) is None


def test_one_process_at_a_time_writes_to_a_board(hosts):
    first, second = hosts
    with first.alone(), pytest.raises(BusyError, match="another process is writing to"), second.alone():
        pass
    with second.alone():
        pass


def test_boards_do_not_meet(hosts):
    log = hosts[1]
    other = replace(log, board="away-2") if isinstance(log, StoredLog) else FileLog(log.path.with_name("away"))
    LoggedReservations(hosts[0]).reserve(Reservation(KEY, CHANGE, AT))
    assert LoggedReservations(other).held(KEY) is None


def test_a_process_whose_job_is_anothers_reserves_nothing_and_so_writes_nothing(url, tmp_path):
    pytest.importorskip("dbos")
    from pactkeeper.jobs.queue import open_queue, queue_url  # noqa: PLC0415 - an extra

    open_database(url).close()
    with open_queue(queue_url(url), made=False):
        lost = open_database(url, fence=Fence("sweep-1", "token", url))
    board = LocalBoard("home", tmp_path / "board")
    with pytest.raises(HandedOver):
        write(board, CHANGE, KEY, reservations=LoggedReservations(StoredLog(lost, "home-1")), at=AT)
    assert not board.snapshot(at=AT).tasks
    lost.close()
