"""Reading into the store: nothing lost, nothing doubled, whatever happens to the file or to the process."""

import json
import os
import signal
import subprocess
import tracemalloc

import pytest

from pactkeeper.store.conversations import list_artifacts, list_conversations
from pactkeeper.transcripts.ingest import MOST_ENTRIES, ingest
from tests.doors.forking import SERVER
from tests.transcripts.conftest import NOW
from tests.transcripts.scripts import read_script, write_script

DECIDED = "user | We decided to use plan {0} because it is the shortest."


def script(*rows):
    return read_script("\n".join(["format claude-code", "file main.jsonl", *rows]))


@pytest.fixture
def chat(tmp_path):
    return write_script(script(*(DECIDED.format(n) for n in range(6))), tmp_path)[0]


def titles(history):
    return [one.artifact.title for one in list_artifacts(history)]


def test_what_is_there_already_is_not_brought_again(chat, read, history):
    (first,) = read(chat)
    assert (first.outcome, first.entries, first.artifacts) == ("read", 6, 6)
    (again,) = read(chat)
    assert (again.outcome, again.entries, again.artifacts) == ("unchanged", 0, 0)


def test_a_torn_last_line_waits_until_it_is_whole(chat, read, history):
    data = chat.read_bytes()
    chat.write_bytes(data[:-40])
    (first,) = read(chat)
    assert (first.entries, first.gaps) == (5, 0)
    assert first.waiting > 0
    chat.write_bytes(data)
    (then,) = read(chat)
    assert (then.entries, then.artifacts, then.waiting) == (1, 1, 0)


def test_a_whole_record_without_a_line_end_does_not_wait(chat, read, history):
    chat.write_bytes(chat.read_bytes().rstrip(b"\n"))
    assert read(chat)[0].entries == 6
    with chat.open("ab") as file:
        file.write(b"\n")
    assert read(chat)[0].gaps == 0


def test_a_replaced_file_is_read_from_its_start_and_brings_only_what_is_new(chat, tmp_path, read, history):
    read(chat)
    other = write_script(
        script("user | Hello.", *(DECIDED.format(n) for n in range(2, 9))), tmp_path / "new", after=50
    )[0]
    chat.write_bytes(b"\n" + other.read_bytes())
    (found,) = read(chat)
    assert "was replaced" in found.reason
    assert len(titles(history)) == len(set(titles(history))) == 9


def test_a_cut_file_loses_nothing_of_what_was_found(chat, read, history):
    read(chat)
    before = titles(history)
    os.truncate(chat, chat.stat().st_size // 2)
    assert "was truncated" in read(chat)[0].reason
    os.truncate(chat, 20)
    assert (read(chat)[0].outcome, titles(history)) == ("failed", before)


def test_a_renamed_file_is_all_replays(chat, read, history):
    read(chat)
    moved = chat.rename(chat.with_name("moved.jsonl"))
    (found,) = read(moved)
    assert (found.entries, found.replays, found.artifacts) == (0, 6, 0)


def test_damage_in_the_middle_is_a_gap_with_its_place(chat, read, history):
    rows = chat.read_bytes().splitlines(keepends=True)
    rows[2] = b"\x00" * 30 + b"\n"
    chat.write_bytes(b"".join(rows))
    (found,) = read(chat)
    assert (found.entries, found.gaps) == (5, 1)
    (gap,) = list_conversations(history)[0].gaps
    start = len(rows[0]) + len(rows[1])
    assert (gap.start, gap.end) == (start, start + 30)


def test_a_record_with_bytes_that_are_no_text_is_read_and_is_a_gap(history, tmp_path):
    path = tmp_path / "chat.jsonl"
    first = b'{"role": "user", "content": "hello"}\n'
    path.write_bytes(first + b'{"role": "user", "content": "caf\xe9 now"}\n')
    found = ingest(history, path, now=lambda: "2026-03-01T10:00:00+00:00")
    assert (found.entries, found.gaps) == (2, 1)
    (gap,) = list_conversations(history)[0].gaps
    assert gap.start == len(first)
    assert gap.reason.startswith(f"it is not UTF-8 from byte {len(first) + 32} on")


def test_one_line_of_fifty_megabytes_is_a_gap_and_not_held_in_memory(chat, read, history):
    rows = chat.read_bytes().splitlines(keepends=True)
    with chat.open("wb") as file:
        file.write(rows[0])
        for _ in range(50):
            file.write(b'"' + b"x" * (1 << 20))
        file.write(b"\n" + b"".join(rows[1:]))
    tracemalloc.start()
    (found,) = read(chat)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.entries, found.gaps) == (6, 1)
    assert most < 25 << 20


def test_a_result_that_comes_much_later_still_finds_its_call(tmp_path, read, history):
    rows = ["call Bash c1 | git commit -m 'Late'", *(f"assistant | note {n}" for n in range(3 * MOST_ENTRIES))]
    (path,) = write_script(script(*rows), tmp_path)
    read(path)
    whole = write_script(script(*rows, "result c1 | [main 1234567] Late"), tmp_path / "then")[0]
    path.write_bytes(whole.read_bytes())
    read(path)
    assert titles(history) == ["commit succeeded: Late"]


def test_a_plan_that_is_written_down_much_later_is_said_to_be(tmp_path, read, history):
    plan = "## Plan\n\n1. Ask the people\n2. Draw it\n3. Build the thing"
    rows = ["assistant | " + plan.replace("\n", "\n    "), *(f"assistant | note {n}" for n in range(40))]
    (path,) = write_script(script(*rows), tmp_path)
    read(path)
    assert [one.artifact.persistence for one in list_artifacts(history)] == ["not_persisted"]
    written = "call Write w1 | " + json.dumps({"file_path": "/p.md", "content": plan})
    path.write_bytes(write_script(script(*rows, written, "result w1 | ok"), tmp_path / "then")[0].read_bytes())
    read(path)
    (found,) = list_artifacts(history)
    assert (found.artifact.persistence, found.artifact.evidence) == ("persisted", "Write w1: 100 % of its lines")


def test_two_sessions_that_say_the_same_corroborate_it(tmp_path, read, history):
    plan = "assistant | ## Plan\n    \n    1. Ask the people\n    2. Draw it\n    3. Build the thing"
    first = write_script(script(plan), tmp_path / "a")[0]
    second = write_script(script("user | Again?", plan), tmp_path / "b", after=50)[0]
    read(first, second)
    (found,) = list_artifacts(history)
    assert found.corroboration == 2


def test_a_process_that_was_overtaken_by_another_stores_nothing(chat, read, history):
    overtaken: list[str] = []

    def now():
        if not overtaken:
            overtaken.append("once")
            read(chat)
        return NOW

    found = ingest(history, chat, now=now)
    assert (found.outcome, found.artifacts) == ("busy", 0)
    assert [one.entries for one in list_conversations(history)] == [6]
    assert len(titles(history)) == 6


KILLED = """
import sys, os, signal
from pathlib import Path
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.transcripts.ingest import ingest
writes = 0
def on_write(*arguments):
    global writes
    writes += 1
    if writes == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
from sqlalchemy import event
database = open_database(sqlite_url(Path(sys.argv[1])))
event.listen(database.engine, "before_cursor_execute", lambda c, cur, sql, *rest: on_write() if not sql.startswith("SELECT") else None)
ingest(History(database, "person"), Path(sys.argv[2]), now=lambda: "2026-03-02T08:00:00+00:00")
"""


@pytest.mark.parametrize("write", [1, 2, 3, 4, 5, 6])
def test_a_process_killed_before_any_write_loses_and_doubles_nothing(write, chat, history, read):
    place = str(history.database.address.path)
    command = SERVER.program("-c", KILLED, place, chat, write)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    killed = done.returncode == -signal.SIGKILL
    assert killed or (done.returncode == 0 and write > 5), done.stderr
    found = list_conversations(history)
    assert [one.entries for one in found] == ([] if killed else [6])
    read(chat)
    assert len(titles(history)) == len(set(titles(history))) == 6
    assert [one.entries for one in list_conversations(history)] == [6]
