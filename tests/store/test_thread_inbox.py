from datetime import UTC, datetime, timedelta

import pytest

from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.store.thread_posts import (
    due_threads,
    finish_events,
    late_events,
    put_event,
    take_events,
    waiting_events,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WINDOW = timedelta(seconds=30)


def event(name, kind="message", sequence=0, thread="T1"):
    return ThreadEvent(name, thread, kind, "Ada", NOW.isoformat(), text=name, sequence=sequence)


@pytest.fixture
def put(history):
    def put(name, kind="message", sequence=0, *, thread="T1", after=0):
        now = NOW + timedelta(seconds=after)
        return put_event(history, event(name, kind, sequence, thread), now=now, window=WINDOW)

    return put


@pytest.fixture
def due(history):
    return lambda after: due_threads(history, now=NOW + timedelta(seconds=after), window=WINDOW)


def names(events):
    return [one.id for one in events]


def test_an_event_that_comes_twice_is_kept_once(history, put):
    assert put("a") == "waiting"
    assert put("a") == "known"
    assert names(waiting_events(history, "T1")) == ["a"]


def test_the_same_id_in_another_thread_is_another_event(put):
    assert put("a", thread="T2") == "waiting"
    assert put("a", thread="T1") == "waiting"


def test_events_are_taken_in_the_order_of_their_thread(history, put):
    put("later", sequence=2)
    put("first", sequence=1)
    assert names(take_events(history, "T1", run=1)) == ["first", "later"]


def test_what_comes_after_a_later_one_was_taken_is_shown_and_not_acted_on(history, put):
    put("later", sequence=2)
    take_events(history, "T1", run=1)
    assert put("first", sequence=1) == "late"
    finish_events(history, "T1")
    assert take_events(history, "T1", run=2) == ()
    assert names(late_events(history, "T1")) == ["first"]


def test_messages_wait_until_the_thread_is_quiet(put, due):
    put("a")
    put("b", after=20)
    assert due(35) == ()
    assert due(50) == ("T1",)


def test_a_thread_that_never_becomes_quiet_is_heard_all_the_same(put, due):
    for number in range(12):
        put(f"m{number}", after=number * 10)
    assert due(115) == ()
    assert due(120) == ("T1",)


def test_a_clock_that_steps_back_keeps_no_message_waiting(put, due):
    put("a", after=7200)
    assert due(7200) == ()
    assert due(0) == ("T1",)


@pytest.mark.parametrize("kind", ["mention", "answer", "approve", "changes"])
def test_whoever_calls_is_heard_at_once_with_what_was_said_before(history, put, due, kind):
    put("a")
    put("call", kind)
    assert due(0) == ("T1",)


def test_a_run_that_broke_off_is_due_with_what_it_had(history, put, due):
    put("a", "mention")
    take_events(history, "T1", run=1)
    put("b")
    assert due(0) == ("T1",)
    assert names(take_events(history, "T1", run=1)) == ["a"]
    finish_events(history, "T1")
    assert names(take_events(history, "T1", run=2)) == ["b"]


def test_an_approval_is_taken_by_itself(history, put):
    for name, kind in (("a", "message"), ("yes", "approve"), ("b", "message")):
        put(name, kind)
    taken = []
    for run in (1, 2, 3):
        taken.append(names(take_events(history, "T1", run=run)))
        finish_events(history, "T1")
    assert taken == [["a"], ["yes"], ["b"]]


def test_threads_do_not_see_the_events_of_another_repository(history, neighbour, put):
    put("a", "mention")
    assert due_threads(neighbour, now=NOW, window=WINDOW) == ()
