from dataclasses import replace

from pactkeeper.intent.thread_event import Blocker, Post, ThreadState, ThreadStep, Ticket
from pactkeeper.intent.ticket import Ask, Draft, PlacedValue
from pactkeeper.intent.ticket_patch import DraftPatch, apply
from pactkeeper.store.lease import take_thread
from pactkeeper.store.thread_posts import posts, put_post, said, threads_to_tell, unsaid_posts
from pactkeeper.store.threads import (
    add_step,
    reserve_ticket,
    save_state,
    save_ticket,
    thread_state,
    thread_steps,
    tickets,
)

AT = "2026-03-01T12:00:00+00:00"
DRAFT = apply(
    Draft("T1"), [DraftPatch("set", "title", PlacedValue("Export", "Ada", "m1", "https://x.example/1", "Export"))]
)
POST = Post(
    "T1.1.preview",
    "T1",
    "preview",
    "# Export",
    asks=(Ask("missing", "problem", "Which?"),),
    draft=DRAFT,
    blockers=(Blocker("error", "no problem"),),
    to="Ada",
)
TICKET = Ticket("T1", "thread-1", "v1:1", 3, "Ada", AT)


def test_post_comes_back_as_it_was_and_is_said_once(history, neighbour):
    put_post(history, POST, at=AT)
    put_post(history, replace(POST, text="another text"), at=AT)
    assert unsaid_posts(history, "T1") == (POST,)
    assert (threads_to_tell(history), threads_to_tell(neighbour)) == (("T1",), ())
    said(history, POST, ref="1700.1", at=AT)
    assert unsaid_posts(history, "T1") == ()
    assert [(one.post, one.ref) for one in posts(history, "T1")] == [(POST, "1700.1")]


def test_state_is_the_last_that_was_kept(history, neighbour):
    assert thread_state(history, "T1") == ThreadState()
    kept = ThreadState(2, 2, 1, "preview", "AWAITING_USER", "complete", "v1:1", 1, "T1.2.preview", 1)
    for state in (ThreadState(read=1), kept):
        save_state(history, "T1", state)
    assert thread_state(history, "T1") == kept
    assert thread_state(neighbour, "T1") == ThreadState()


def test_steps_come_back_in_their_order(history):
    steps = (ThreadStep(1, "take", AT, 3, "1 events waited", {"events": ["m1"]}), ThreadStep(1, "extract", AT, 1))
    for one in steps:
        add_step(history, "T1", one)
    assert thread_steps(history, "T1") == steps


def test_ticket_is_reserved_once_whoever_asks(history):
    assert reserve_ticket(history, TICKET) == TICKET
    assert reserve_ticket(history, replace(TICKET, approved_by="Bob")) == TICKET
    made = replace(TICKET, state="created", target="T-1", criteria={"It works.": "IA-1"})
    save_ticket(history, made)
    assert tickets(history, "T1") == (made,)


def test_lease_of_a_thread_is_had_by_one(history, tmp_path):
    held = take_thread(history, "T1", folder=tmp_path / "T1")
    assert held is not None
    assert take_thread(history, "T1", folder=tmp_path / "T1") is None
    other = take_thread(history, "T2", folder=tmp_path / "T2")
    assert other is not None
    held.release()
    again = take_thread(history, "T1", folder=tmp_path / "T1")
    assert again is not None
    for one in (again, other):
        one.release()
