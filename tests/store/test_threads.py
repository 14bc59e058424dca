from dataclasses import replace

import pytest

from pactkeeper.errors import InputError, StaleError
from pactkeeper.intent.thread_event import EFFECTS, Ticket
from pactkeeper.intent.ticket import AcceptedConstraint, Ask, Draft, PlacedValue, Thread, ThreadMessage
from pactkeeper.intent.ticket_patch import DraftPatch, apply
from pactkeeper.store.threads import (
    accepted_constraints,
    add_messages,
    close_asks,
    draft_at,
    draft_titles,
    find_thread,
    latest_draft,
    messages,
    note_constraints,
    open_thread,
    pending_asks,
    put_asks,
    save_draft,
    save_ticket,
    threads,
)

AT = "2026-03-01T12:00:00+00:00"
LATER = "2026-03-02T12:00:00+00:00"
THREAD = Thread("T1", "terminal", "here", "Ada", AT)
TITLE = Ask("missing", "title", "What is the title?")
PROBLEM = Ask("missing", "problem", "What is the problem?")


def message(number, **fields):
    return ThreadMessage(f"m{number}", "T1", "Ada", AT, f"text {number}\0", sequence=number, **fields)


def titled(value="Export orders"):
    return DraftPatch("set", "title", PlacedValue(value, "Ada", "m1", "", value))


def bound(thread, value, status="accepted", key="Retention", at=AT):
    return AcceptedConstraint(thread, key, PlacedValue(value, "Ada", "m1", "https://chat.example/1", value), status, at)


def test_a_thread_stays_as_it_was_opened(history, neighbour):
    open_thread(history, THREAD)
    open_thread(history, replace(THREAD, opened_by="Bob"))
    assert threads(history) == (THREAD,)
    assert find_thread(history, "T1") == THREAD
    assert threads(neighbour) == ()


def test_an_unknown_thread_is_named(history):
    with pytest.raises(InputError, match="no thread 'T9'"):
        find_thread(history, "T9")


def test_a_message_is_kept_once_and_in_its_place(history):
    assert add_messages(history, [message(2), message(1)]) == 2
    assert add_messages(history, [message(1), message(3)]) == 1
    assert messages(history, "T1") == (message(1), message(2), message(3))
    assert messages(history, "T1", after=2) == (message(3),)


def test_every_version_of_a_draft_is_kept(history):
    first = apply(Draft("T1"), [titled()])
    second = apply(first, [titled("Import orders")])
    save_draft(history, first, [titled()], at=AT)
    save_draft(history, second, [titled("Import orders")], at=LATER)
    assert latest_draft(history, "T1") == second
    assert draft_at(history, "T1", 1) == first
    assert draft_at(history, "T1", 2) == second


def test_saving_a_draft_twice_is_saving_it_once(history):
    first = apply(Draft("T1"), [titled()])
    save_draft(history, first, [titled()], at=AT)
    save_draft(history, first, [titled()], at=LATER)
    assert latest_draft(history, "T1") == first


def test_a_draft_that_somebody_else_changed_is_not_overwritten(history):
    save_draft(history, apply(Draft("T1"), [titled()]), [titled()], at=AT)
    mine = apply(Draft("T1"), [titled("Import orders")])
    with pytest.raises(StaleError, match="at version 1 and not at 0; read it again"):
        save_draft(history, mine, [titled("Import orders")], at=LATER)


def test_a_thread_without_words_has_an_empty_draft(history):
    assert latest_draft(history, "T1") == Draft("T1")
    with pytest.raises(InputError, match="has no version 3"):
        draft_at(history, "T1", 3)


def test_the_titles_of_every_other_draft_are_those_of_its_newest_version(history, neighbour):
    for name in ("T1", "T2", "T3"):
        save_draft(history, apply(Draft(name), [titled(name)]), [], at=AT)
    save_draft(history, apply(latest_draft(history, "T2"), [titled("x")]), [], at=LATER)
    found = [(one.thread, one.value) for one in draft_titles(history, without="T1")]
    assert found == [("T3", "T3"), ("T2", "T2"), ("T2", "x")]
    assert draft_titles(neighbour) == ()


def test_the_title_of_a_draft_that_became_a_ticket_is_no_drafts_any_more(history):
    for name in ("T1", "T2", "T3"):
        save_draft(history, apply(Draft(name), [titled(name)]), [], at=AT)
    save_ticket(history, Ticket("T1", "key", "hash", 1, "Ada", AT, state="created"))
    save_ticket(history, Ticket("T2", "key", "hash", 1, "Ada", AT, state="failed"))
    save_ticket(history, Ticket("T3", "key", "hash", 1, "Ada", AT, state="created", done=EFFECTS))
    assert [one.thread for one in draft_titles(history)] == ["T2"]


def test_questions_wait_until_they_are_closed(history):
    assert put_asks(history, "T1", [TITLE, PROBLEM], at=AT) == 1
    assert close_asks(history, "T1", [TITLE.id], by="m2", at=LATER) == 1
    assert pending_asks(history, "T1") == (PROBLEM,)
    assert put_asks(history, "T1", [PROBLEM], at=LATER) == 2
    assert pending_asks(history, "T1") == (PROBLEM,)
    assert close_asks(history, "T1", [PROBLEM.id], by="m3", at=LATER) == 2
    assert pending_asks(history, "T1") == ()


def test_the_last_word_on_a_constraint_holds(history, neighbour):
    note_constraints(history, [bound("T1", "30 days"), bound("T2", "14 days"), bound("T3", "1 day", "proposed")])
    note_constraints(history, [bound("T2", "14 days", "superseded", key="retention", at=LATER)])
    assert accepted_constraints(history) == (bound("T1", "30 days"),)
    assert accepted_constraints(history, without="T1") == ()
    assert accepted_constraints(neighbour) == ()
