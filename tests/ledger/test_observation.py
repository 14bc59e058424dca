from dataclasses import replace

import pytest

from pactkeeper.ledger.canonical import Cursor, Observation, Reading, Span, advance, by_trust
from pactkeeper.ledger.health import COMPLETE, Health

SEEN = Observation("test", Span("git", "tests/test_a.py", 3, 9), "2026-11-20T12:00:00+00:00", {"name": "x"}, "machine")
HERE = Cursor("git", "commit", "aaaa")
NEXT = Cursor("git", "commit", "bbbb")


def test_the_same_thing_seen_twice_is_one_observation():
    assert SEEN.id == replace(SEEN).id
    assert SEEN.id != replace(SEEN, trust="model").id


def test_a_cursor_moves_once_everything_that_was_read_is_stored():
    other = replace(SEEN, payload={"name": "y"})
    reading = Reading((SEEN, other), COMPLETE, NEXT)
    assert advance(HERE, reading, {SEEN.id}) == HERE
    assert advance(HERE, reading, {SEEN.id, other.id}) == NEXT
    assert advance(None, reading, {SEEN.id, other.id}) == NEXT


def test_a_cursor_stays_when_its_source_cannot_be_observed():
    assert advance(HERE, Reading((), Health("unavailable", "timeout"), NEXT), set()) == HERE


def test_a_cursor_of_one_source_never_moves_to_another():
    with pytest.raises(ValueError, match="cannot move"):
        advance(HERE, Reading((), COMPLETE, Cursor("board", "event", "7")), set())


def test_machine_events_outweigh_people_and_people_outweigh_models():
    person, model = replace(SEEN, trust="human"), replace(SEEN, trust="model", time="2026-11-21T00:00:00+00:00")
    assert by_trust([model, person, SEEN]) == (SEEN, person, model)


def test_among_equally_trusted_the_latest_comes_first():
    later = replace(SEEN, time="2026-11-20T13:00:00+00:00")
    assert by_trust([SEEN, later]) == by_trust([later, SEEN]) == (later, SEEN)
