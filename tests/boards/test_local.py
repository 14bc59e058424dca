"""Plain files as a board: a person works on them beside us, and processes die."""

import os
import signal
import subprocess
import textwrap
import unicodedata

import pytest

from pactkeeper.boards.folder import STAGED, writing
from pactkeeper.boards.folder import write as write_file
from pactkeeper.boards.writing import undo, write
from pactkeeper.errors import BoardUnavailable, BusyError, RefusedError, StaleError
from pactkeeper.intent.board import (
    CompleteTask,
    CreateDocument,
    CreateTask,
    EnrichDocument,
    LogTask,
    PatchDocumentSection,
    UpdateDocumentMeta,
)
from tests.conformance.boards.targets import AT, LocalTarget
from tests.doors.forking import SERVER


@pytest.fixture
def target(tmp_path):
    return LocalTarget(tmp_path)


def do(target, change, key="op-000001"):
    return write(target.board, change, key, reservations=target.reservations(), at=AT)


def place(target, path, data):
    file = target.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def files(target):
    return sorted(file.relative_to(target.root).as_posix() for file in target.root.rglob("*.md"))


def test_every_byte_besides_the_changed_line_stays(target):
    data = b"\xef\xbb\xbf---\r\nstatus: next \r\n# mine\r\nx:  [a,b]\r\n--- \r\nTwo\r\n\r\nlitres without an end"
    file = place(target, "tasks/milk.md", data)
    do(target, CompleteTask("tasks/milk.md"))
    assert file.read_bytes() == data.replace(b"status: next ", b"status: done")


def test_undo_gives_back_every_byte_of_an_enriched_document(target):
    data = b"One\r\n\r\nTwo without an end"
    file = place(target, "documents/Research/a.md", data)
    written = do(target, EnrichDocument("documents/Research/a.md", "s1", "Notes", "Found out.\nAnd more."))
    assert file.read_bytes().startswith(data)
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    undo(target.board, written, reservations=target.reservations(), at=AT)
    assert file.read_bytes() == data


def test_mode_of_a_file_is_kept(target):
    file = place(target, "tasks/milk.md", b"x\n")
    file.chmod(0o600)
    do(target, LogTask("tasks/milk.md", "Went."))
    assert file.stat().st_mode & 0o777 == 0o600


def test_remarks_follow_each_other_and_no_other_byte_changes(target):
    file = place(target, "tasks/milk.md", b"Two litres.\n")
    do(target, LogTask("tasks/milk.md", "Went."))
    do(target, LogTask("tasks/milk.md", "Came back."), "op-000002")
    first, second, third = file.read_text().splitlines()
    assert (first, "Went." in second, "Came back." in third) == ("Two litres.", True, True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Straße", "STRASSE"),
        ("Café", unicodedata.normalize("NFD", "café")),
        ("a/b", "a:b"),
        ("..", "!!"),
        ("CON", "con"),
    ],
)
def test_titles_that_some_file_systems_confuse_get_two_files(target, first, second):
    do(target, CreateTask(first))
    do(target, CreateTask(second), "op-000002")
    names = {unicodedata.normalize("NFC", name).casefold() for name in files(target)}
    assert len(names) == 2
    assert [task.title for task in target.board.snapshot(at=AT).tasks] in ([first, second], [second, first])


def test_section_that_differs_by_case_is_the_same_folder(target):
    place(target, "documents/Research/a.md", b"x\n")
    do(target, CreateDocument("research", "B", "y\n"))
    assert files(target) == ["documents/Research/a.md", "documents/Research/b.md"]


@pytest.mark.parametrize("section", ["..", "../x", "/etc", "a/../..", ".hidden", "a\\b", "a//b", "a\nb"])
def test_section_that_leads_elsewhere_is_refused(target, section):
    with pytest.raises(RefusedError, match="not a section"):
        do(target, CreateDocument(section, "B", "y\n"))
    assert files(target) == []


def test_long_title_in_any_script_gets_a_short_name(target):
    do(target, CreateTask("予算 " * 200))
    (name,) = files(target)
    assert len(name.encode()) <= 100


def test_link_out_of_the_folder_is_neither_read_nor_written(target, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("secret\n")
    (target.root / "tasks").mkdir(parents=True)
    (target.root / "tasks/x.md").symlink_to(outside)
    found = target.board.snapshot(at=AT)
    assert (found.tasks, found.health.status) == ((), "partial")
    with pytest.raises(BoardUnavailable, match="symbolic link"):
        do(target, CompleteTask("tasks/x.md"))
    assert outside.read_text() == "secret\n"


def test_linked_folder_of_documents_takes_no_document_out_of_the_board(target, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (target.root / "documents").mkdir(parents=True)
    (target.root / "documents/Research").symlink_to(tmp_path / "elsewhere")
    with pytest.raises((RefusedError, BoardUnavailable), match="symbolic link"):
        do(target, CreateDocument("Research", "B", "y\n"))
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff", "UTF-8"),
        (b"---\nid: a\nno end\n", "closing"),
        (b"---\nid: a\nid: b\n---\n", "twice"),
        (b"---\ntitle: [x\n---\n", "no closing ]"),
        (b"x" * 4_000_001, "larger"),
    ],
)
def test_file_that_does_not_read_makes_the_view_partial_and_forbids_creating(target, data, reason):
    place(target, "tasks/broken.md", data)
    health = target.board.snapshot(at=AT).health
    assert (health.status, reason in health.reason) == ("partial", True)
    with pytest.raises(BoardUnavailable, match=reason):
        do(target, CreateTask("a"))


def test_two_files_of_one_id_are_shown_and_never_written(target):
    for name in "ab":
        place(target, f"tasks/{name}.md", b"---\nid: T-1\n---\n")
    assert target.board.snapshot(at=AT).health.status == "partial"
    with pytest.raises(RefusedError, match="both have the id"):
        do(target, CompleteTask("T-1"))


def test_file_that_a_person_saves_between_look_and_write_wins(target):
    file = place(target, "tasks/milk.md", b"Two litres.\n")
    seen = file.read_bytes()
    file.write_bytes(b"Three litres.\n")
    with pytest.raises(StaleError, match="changed since"):
        write_file(target.root, "tasks/milk.md", seen, b"Done.\n")
    assert file.read_bytes() == b"Three litres.\n"


def test_file_that_came_into_being_meanwhile_wins(target):
    file = place(target, "tasks/milk.md", b"Mine.\n")
    with pytest.raises(StaleError, match="was created meanwhile"):
        write_file(target.root, "tasks/milk.md", None, b"Ours.\n")
    assert file.read_bytes() == b"Mine.\n"


def test_task_that_a_person_moved_on_is_not_reopened(target):
    file = place(target, "tasks/milk.md", b"---\nstatus: next\n---\n")
    written = do(target, CompleteTask("tasks/milk.md"))
    file.write_bytes(b"---\nstatus: never\n---\n")
    with pytest.raises(StaleError, match="'never'"):
        undo(target.board, written, reservations=target.reservations(), at=AT)
    assert file.read_bytes() == b"---\nstatus: never\n---\n"


def test_file_without_a_head_is_as_it_was_after_a_completion_is_undone(target):
    file = place(target, "tasks/milk.md", b"Two litres.\n")
    written = do(target, CompleteTask("tasks/milk.md"))
    assert file.read_bytes() == b"---\nstatus: done\n---\n\nTwo litres.\n"
    undo(target.board, written, reservations=target.reservations(), at=AT)
    assert file.read_bytes() == b"Two litres.\n"


def test_renamed_file_keeps_its_id(target):
    written = do(target, CreateTask("Buy milk"))
    (target.root / "tasks/buy-milk.md").rename(target.root / "tasks/later.md")
    do(target, CompleteTask(written.target), "op-000002")
    assert target.board.task(written.target).status == "done"


def test_taken_back_task_waits_in_the_archive(target):
    undo(target.board, do(target, CreateTask("Buy milk")), reservations=target.reservations(), at=AT)
    assert files(target) == ["archive/tasks/buy-milk.md"]


def test_metadata_over_several_lines_is_left_to_the_person(target):
    data = b"---\ntags:\n  - a\n---\nx\n"
    file = place(target, "documents/a.md", data)
    with pytest.raises(RefusedError, match="several lines"):
        do(target, UpdateDocumentMeta("documents/a.md", {"tags": "b"}))
    assert file.read_bytes() == data


def test_id_and_key_are_no_metadata(target):
    place(target, "documents/a.md", b"x\n")
    with pytest.raises(RefusedError, match="not metadata"):
        do(target, UpdateDocumentMeta("documents/a.md", {"id": "b"}))


def test_second_writer_is_told_to_wait(target):
    with writing(target.root), pytest.raises(BusyError, match="another process"):
        do(target, CreateTask("a"))


DIES = """
import os, signal, sys
from pathlib import Path
from pactkeeper.boards import folder
from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.writing import FileReservations
from pactkeeper.boards.writing import write
from pactkeeper.intent.board import *

root, step = Path(sys.argv[1]), sys.argv[2]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

class Reservations(FileReservations):
    def reserve(self, reservation):
        super().reserve(reservation)
        if step == "reserved":
            die()
    def confirm(self, key, written):
        if step == "written":
            die()
        super().confirm(key, written)

if step == "staged":
    folder._refuse_stale = die
change = {"task": CreateTask("Buy milk"), "patch": PatchDocumentSection("documents/a.md", "", "66", "66 and 7")}[sys.argv[3]]
write(LocalBoard("home", root / "board"), change, "op-000001", reservations=Reservations(root / "reservations.jsonl"), at="2026-03-01T09:00:00+00:00")
"""


@pytest.mark.parametrize("step", ["reserved", "staged", "written"])
@pytest.mark.parametrize("what", ["task", "patch"])
def test_write_that_was_killed_at_any_step_is_done_once_by_the_next(target, tmp_path, step, what):
    file = place(target, "documents/a.md", b"It costs 66.\n")
    done = subprocess.run(
        SERVER.program("-c", textwrap.dedent(DIES), tmp_path, step, what),
        capture_output=True,
        check=False,
        env={**os.environ},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    change = CreateTask("Buy milk") if what == "task" else PatchDocumentSection("documents/a.md", "", "66", "66 and 7")
    written = do(target, change)
    assert written.outcome == "written"
    assert written.before == (None if what == "task" else "It costs 66.\n")
    assert file.read_text() == ("It costs 66.\n" if what == "task" else "It costs 66 and 7.\n")
    assert len(target.board.snapshot(at=AT).tasks) == (what == "task")
    assert list(target.root.rglob(f"{STAGED}*")) == []


def test_reservations_that_were_cut_short_read_up_to_there(target, tmp_path):
    do(target, CreateTask("Buy milk"))
    file = tmp_path / "reservations.jsonl"
    file.write_bytes(file.read_bytes() + b'{"reserve": "op-0')
    do(target, CreateTask("Buy bread"), "op-000002")
    assert do(target, CreateTask("Buy bread"), "op-000002").outcome == "found"
