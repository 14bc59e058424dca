from dataclasses import replace

import pytest

from pactkeeper.intent.conversation import Block, Bookmark, Conversation, ConversationEntry, Gap, RecordPlace
from pactkeeper.store.conversations import (
    MOST_GAPS,
    ReadStep,
    find_conversation,
    known_entries,
    list_conversations,
    save_step,
)
from tests.store.rows import AT, LATER

CHAT = Conversation("claude-code", "/chats/a.jsonl", "s1", "main", "/shop", "main", AT)
MARK = Bookmark(90, "u2", "1:2", 100, "head", 90, "tail", ((0, 40), (41, 89)))


def entry(uuid, start=0, at=AT):
    return ConversationEntry(uuid, "", "user", at, (Block("text", "hello"),), RecordPlace(CHAT.file, start, start + 40))


def stored(history):
    found = find_conversation(history, CHAT.id)
    assert found
    return found


STEP = ReadStep(CHAT, (entry("u1"), entry("u2", 41, LATER)), 3, (Gap(80, 90, "no record"),), MARK)


def test_a_conversation_comes_back_with_its_bookmark_counts_and_gaps(history):
    save_step(history, STEP, after=0, at=LATER)
    found = stored(history)
    assert (found.conversation, found.bookmark, found.gaps) == (CHAT, MARK, STEP.gaps)
    assert (found.entries, found.replays, found.gap_count, found.last_at, found.read_at) == (2, 3, 1, LATER, LATER)
    assert list_conversations(history) == (found,)


def test_steps_add_up(history):
    save_step(history, STEP, after=0, at=AT)
    save_step(history, replace(STEP, entries=(entry("u3"),), bookmark=replace(MARK, offset=200)), after=90, at=LATER)
    found = stored(history)
    assert (found.entries, found.replays, found.gap_count, found.bookmark.offset) == (3, 6, 2, 200)


def test_a_step_from_where_the_bookmark_no_longer_stands_stores_nothing(history):
    save_step(history, STEP, after=0, at=AT)
    late = replace(STEP, entries=(entry("u9"),), bookmark=replace(MARK, offset=500))
    assert save_step(history, late, after=0, at=LATER) is None
    assert known_entries(history, ["u9"]) == frozenset()
    assert stored(history).bookmark == MARK


def test_a_record_is_known_whichever_file_brought_it(history, neighbour):
    save_step(history, STEP, after=0, at=AT)
    assert known_entries(history, ["u1", "u2", "u3"]) == {"u1", "u2"}
    assert known_entries(neighbour, ["u1"]) == frozenset()


def test_a_record_of_an_odd_name_is_known(history):
    names = ("x" * 5000, "a\x00b", "ünï")
    save_step(history, replace(STEP, entries=tuple(entry(name) for name in names)), after=0, at=AT)
    assert known_entries(history, names) == frozenset(names)


def test_files_of_more_than_two_billion_bytes_have_a_place(history):
    far = 5 << 30
    save_step(history, replace(STEP, bookmark=replace(MARK, offset=far, size=far)), after=0, at=AT)
    assert stored(history).bookmark.offset == far


def test_gaps_are_counted_where_they_are_too_many_to_keep(history):
    gaps = tuple(Gap(n, n + 1, "no record") for n in range(MOST_GAPS + 5))
    save_step(history, replace(STEP, gaps=gaps), after=0, at=AT)
    found = stored(history)
    assert (len(found.gaps), found.gap_count) == (MOST_GAPS, MOST_GAPS + 5)


def test_a_step_that_fails_leaves_nothing(history):
    with pytest.raises(ZeroDivisionError), history.database.begin():
        assert save_step(history, STEP, after=0, at=AT) == 1 / 0
    assert list_conversations(history) == ()
    assert known_entries(history, ["u1"]) == frozenset()
