"""A clock that steps back within a conversation reorders nothing."""

from dataclasses import replace

from pactkeeper.intent.conversation import RecordPlace
from pactkeeper.transcripts.reconciling import follows, in_time, timed
from tests.transcripts.worlds import seen, spoken

NINE, TEN, ELEVEN = (f"2026-03-01T{hour}:00:00Z" for hour in ("09", "10", "11"))


def standing(title, at, *, start, file="/chats/a.jsonl"):
    artifact = spoken("statement", title, title, at=at)
    (part,) = artifact.excerpts
    return seen(replace(artifact, excerpts=(replace(part, place=RecordPlace(file, start, start + 10)),)))


def titles(artifacts):
    return [one.artifact.title for one in artifacts]


def test_in_one_file_what_stands_below_was_said_later():
    given = timed([standing("below", NINE, start=500), standing("above", TEN, start=0)])
    assert titles(in_time(given)) == ["above", "below"]
    assert follows(given[0], given[1])
    assert not follows(given[1], given[0])


def test_across_files_the_clock_decides():
    given = timed([standing("b", ELEVEN, start=0, file="b"), standing("a", TEN, start=900, file="a")])
    assert titles(in_time(given)) == ["a", "b"]
    assert follows(given[0], given[1])


def test_what_has_no_time_follows_nothing():
    given = timed([standing("timed", NINE, start=0), standing("bare", "", start=500)])
    assert not follows(given[1], given[0])
