from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.store.waiting import Timer, add_timer, advance, due

REMIND = Timer("qu-1", "reminder", "question qu-1", "2026-03-01T12:00:00.000000+00:00", {"times": 1})
BEFORE, AFTER, LONG_AFTER = "2026-03-01T11:59:59+00:00", "2026-03-01T14:00:00+02:00", "2026-04-01T00:00:00+00:00"


def test_a_timer_is_due_from_its_time_on(history):
    add_timer(history, REMIND)
    assert due(history, now=BEFORE) == ()
    assert due(history, now=AFTER) == (REMIND,)


def test_the_longest_overdue_comes_first(history):
    for day in (3, 1, 2):
        add_timer(history, replace(REMIND, id=f"qu-{day}", due_at=f"2026-03-0{day}T00:00:00+00:00"))
    assert [one.id for one in due(history, now=LONG_AFTER)] == ["qu-1", "qu-2", "qu-3"]


def test_times_are_compared_across_offsets(history):
    add_timer(history, replace(REMIND, due_at="2026-03-01T01:00:00+02:00"))
    assert [one.due_at for one in due(history, now="2026-02-28T23:00:00+00:00")] == ["2026-02-28T23:00:00.000000+00:00"]


def test_a_timer_that_is_done_is_not_due_again(history):
    add_timer(history, REMIND)
    assert advance(history, REMIND, at=AFTER)
    add_timer(history, REMIND)
    assert due(history, now=LONG_AFTER) == ()


def test_of_two_ticks_one_does_the_work(history):
    add_timer(history, REMIND)
    (seen,) = due(history, now=AFTER)
    assert advance(history, seen, at=AFTER)
    assert not advance(history, seen, at=AFTER)


def test_a_time_without_offset_is_refused(history):
    with pytest.raises(InputError, match="has no offset"):
        add_timer(history, replace(REMIND, due_at="2026-03-01T12:00:00"))


def test_two_repositories_have_timers_of_their_own(history, neighbour):
    add_timer(neighbour, REMIND)
    assert due(history, now=LONG_AFTER) == ()
    assert not advance(history, REMIND, at=AFTER)
    assert due(neighbour, now=LONG_AFTER) == (REMIND,)
