"""The verbs about boards, and what a person's boards keep on this machine."""

from contextlib import ExitStack
from datetime import UTC, datetime

import pytest

from pactkeeper.boards.writing import write
from pactkeeper.errors import InputError
from pactkeeper.intent.board import CreateTask
from pactkeeper.operators.boards import list_boards, show_board, show_board_item, try_board
from pactkeeper.personal import Personal
from pactkeeper.settings import Environment

AT = "2026-03-01T09:00:00+00:00"


@pytest.fixture
def personal(tmp_path):
    surroundings = Environment(
        ci=False, plain=True, processes=1, personal=tmp_path / "data", preferences=tmp_path / "config"
    )
    with ExitStack() as closing:
        yield Personal(surroundings, print, lambda: datetime(2026, 3, 1, tzinfo=UTC), closing)


def set_up(tmp_path, folder):
    place = tmp_path / "config" / "boards.toml"
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"[boards.home]\nkind = 'local'\nfolder = '{tmp_path / folder}'\n")


def create(personal, title="Buy milk"):
    board = personal.board()
    return write(board, CreateTask(title), "op-000001", reservations=personal.reservations(board), at=AT)


def test_what_was_written_is_shown_at_the_time_it_was_looked_at(personal):
    written = create(personal)
    found = show_board(personal)
    assert [(task.id, task.title) for task in found.snapshot.tasks] == [(written.target, "Buy milk")]
    assert found.snapshot.at == "2026-03-01T00:00:00+00:00"


def test_looking_makes_no_folder(personal, tmp_path):
    show_board(personal)
    list_boards(personal)
    assert try_board(personal).works
    assert list(tmp_path.iterdir()) == []


def test_item_is_a_task_or_a_document(personal, tmp_path):
    place = tmp_path / "data/board/documents/a.md"
    place.parent.mkdir(parents=True)
    place.write_text("Text.\n")
    written = create(personal)
    assert show_board_item(personal, written.target).title == "Buy milk"
    assert show_board_item(personal, "documents/a.md").body == "Text.\n"
    with pytest.raises(InputError, match="neither a task nor a document"):
        show_board_item(personal, "nothing")


def test_board_that_is_set_up_elsewhere_begins_anew(personal, tmp_path):
    set_up(tmp_path, "one")
    create(personal)
    set_up(tmp_path, "two")
    assert create(personal).outcome == "written"
    assert len(show_board(personal).snapshot.tasks) == 1
