"""Files that grow, are cut, replaced or never end."""

import os

import pytest

from pactkeeper.errors import SourceError
from pactkeeper.intent.conversation import Bookmark, Gap
from pactkeeper.transcripts.sources.records import BLOCK, LONGEST, RawLine, lines, opened


def read(path, start=0):
    with opened(path) as file:
        return list(lines(file, start))


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"one\ntwo\n")
    return path


def test_lines_come_with_their_bytes(chat):
    assert read(chat) == [RawLine(0, 3, b"one"), RawLine(4, 7, b"two")]


def test_a_last_line_without_an_end_is_torn(chat):
    chat.write_bytes(b"one\ntw")
    assert read(chat)[-1] == RawLine(4, 6, b"tw", torn=True)


def test_a_line_across_blocks_is_whole(chat):
    data = b"x" * (BLOCK + 5)
    chat.write_bytes(b"one\n" + data + b"\nlast\n")
    assert [line.data for line in read(chat) if isinstance(line, RawLine)] == [b"one", data, b"last"]


def test_a_line_that_is_too_long_is_a_gap_and_the_next_one_is_read(chat):
    with chat.open("wb") as file:
        file.write(b"one\n")
        file.truncate(4 + LONGEST + 9)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    found = read(chat)
    assert isinstance(found[1], Gap)
    assert (found[1].start, found[1].end) == (4, 4 + LONGEST + 9)
    assert found[2] == RawLine(4 + LONGEST + 10, 4 + LONGEST + 14, b"last")


def test_a_line_that_is_too_long_and_not_ended_yet_waits(chat):
    with chat.open("wb") as file:
        file.truncate(LONGEST + 9)
    assert read(chat) == [RawLine(0, LONGEST + 9, b"", torn=True)]


def resumed(path, mark):
    with opened(path) as file:
        return file.resume(mark)


def marked(path, offset):
    with opened(path) as file:
        return file.bookmark(offset, "u", ())


def test_a_file_that_grew_goes_on_where_it_was_left(chat):
    mark = marked(chat, 4)
    chat.write_bytes(b"one\ntwo\nthree\n")
    assert resumed(chat, mark).offset == 4
    assert resumed(chat, Bookmark()).offset == 0


@pytest.mark.parametrize(
    ("data", "reason"), [(b"on", "was truncated"), (b"ONE\ntwo\nthree\n", "was replaced"), (b"", "was truncated")]
)
def test_a_file_that_is_another_one_is_read_from_its_start(chat, data, reason):
    mark = marked(chat, 8)
    chat.write_bytes(data)
    found = resumed(chat, mark)
    assert found.offset == 0
    assert reason in found.reason


def test_a_rewritten_middle_is_noticed_where_it_was_left(chat):
    chat.write_bytes(b"a" * 5000 + b"\nold\n")
    mark = marked(chat, 5005)
    chat.write_bytes(b"a" * 5000 + b"\nnew\n")
    assert "was rewritten" in resumed(chat, mark).reason


def test_what_is_added_while_a_file_is_read_waits_for_the_next_look(chat):
    with opened(chat) as file:
        with chat.open("ab") as writer:
            writer.write(b"three\n")
        assert [line.data for line in lines(file, 0) if isinstance(line, RawLine)] == [b"one", b"two"]


def test_a_file_that_is_cut_while_it_is_read_says_so(chat):
    with opened(chat) as file:
        os.truncate(chat, 2)
        assert file.shrunk
        assert list(lines(file, 0)) == []


def test_links_pipes_and_folders_are_not_opened(chat, tmp_path):
    (tmp_path / "link.jsonl").symlink_to(chat)
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("link.jsonl", "pipe.jsonl", "missing.jsonl", "."):
        with pytest.raises(SourceError), opened(tmp_path / name):
            pass
