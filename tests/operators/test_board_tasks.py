"""Fix tasks on a task board: each once, and closed when it is over."""

from dataclasses import replace

import pytest

from pactkeeper.boards.port import Reservation
from pactkeeper.errors import SettingsError
from pactkeeper.intent.board import CreateTask
from pactkeeper.operators.fix_tasks import Completion, claim_fix_task, complete_fix_task
from pactkeeper.operators.sweep import SweepRequest, put_on_board, sweep, to_board
from pactkeeper.personal import Personal
from tests.health.projects import ERROR, OTHER
from tests.operators.watching import line as new_line


@pytest.fixture
def line(tmp_path, monkeypatch):
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return new_line(tmp_path / "shop")


def swept(line, text):
    line.errors(text)
    with line.open() as opened:
        return sweep(opened, SweepRequest())


def put(line):
    with line.open() as opened:
        return put_on_board(opened, "local")


def shown(line):
    with line.open() as opened:
        return opened.board("local").snapshot(at="").tasks


def test_a_task_is_put_on_the_board_once(line):
    (task,) = swept(line, ERROR).tasks
    assert (put(line), put(line)) == (1, 0)
    (found,) = shown(line)
    assert found.title.startswith(f"{task.id}: ")
    assert (found.status, set(found.labels)) == ("open", {"fix", "compile"})
    assert "shop.py:3" in found.body


def test_a_task_that_is_over_is_closed_with_the_reason(line):
    swept(line, ERROR)
    put(line)
    swept(line, "")
    assert put(line) == 2
    (found,) = shown(line)
    assert found.status == "done"
    assert "obsolete: its failures are gone" in found.body
    assert put(line) == 0


def test_a_task_that_came_and_went_while_nobody_looked_is_not_put_there(line):
    swept(line, ERROR)
    swept(line, "")
    assert (put(line), shown(line)) == (0, ())


def test_a_fix_that_mended_nothing_opens_the_task_again(line):
    (task,) = swept(line, ERROR).tasks
    put(line)
    with line.open() as opened:
        claim_fix_task(opened, task.id, by="ada")
        line.errors("")
        assert complete_fix_task(opened, Completion(task.id, by="ada")).acceptance.accepted
    assert put(line) == 2
    swept(line, ERROR)
    assert (put(line), [one.status for one in shown(line)]) == (1, ["open"])


def test_a_task_that_a_person_took_off_the_board_stays_off_and_holds_up_no_other(line, tmp_path):
    swept(line, ERROR)
    put(line)
    (file,) = (tmp_path / "XDG_DATA_HOME/pactkeeper/board/tasks").iterdir()
    file.unlink()
    swept(line, OTHER)
    put(line)
    assert ["the mail is lost" in one.title for one in shown(line)] == [True]


def test_a_write_that_was_cut_short_is_ended_as_it_was_begun(line):
    (task,) = swept(line, ERROR).tasks
    with line.open() as opened:
        person = Personal(opened.surroundings, opened.notice, opened.now, opened.closing)
        begun = Reservation(f"{task.id}-created", CreateTask("as it was begun"), "2026-01-01T00:00:00+00:00")
        person.reservations(opened.board("local")).reserve(begun)
    assert put(line) == 1
    assert [one.title for one in shown(line)] == ["as it was begun"]


def test_a_stale_sweep_moves_nothing_on_the_board(line):
    told, found = to_board(line.open, "local"), swept(line, ERROR)
    told(replace(found, sweep=replace(found.sweep, stale=True)))
    assert shown(line) == ()
    told(found)
    assert len(shown(line)) == 1


def test_a_board_that_is_not_set_up_is_refused_before_the_first_sweep(line):
    with pytest.raises(SettingsError, match="there is no board 'nowhere'"):
        to_board(line.open, "nowhere")
