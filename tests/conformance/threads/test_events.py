"""What comes twice, too late, not at all, or to a process that began anew, on every channel."""

import pytest

from tests.conformance.threads.stage import BOB, COMPLETE, Talk
from tests.conformance.threads.stages import needs


def test_event_that_comes_twice_is_heard_once(stage):
    needs(stage, "redelivery")
    talk = Talk.opened(stage, "Title: Export orders")
    talk.mention("Title: Export invoices", by=BOB)
    before = talk.kinds
    assert talk.again() == []
    assert (talk.kinds, len(talk.document["messages"])) == (before, 2)


def test_approval_that_comes_twice_makes_one_ticket_and_is_answered_once(stage):
    needs(stage, "redelivery")
    talk = Talk.opened(stage, COMPLETE)
    talk.approve()
    assert talk.again() == []
    assert len(stage.home.tasks()) == 1


def test_event_that_comes_after_a_later_one_is_kept_and_not_acted_on(stage):
    needs(stage, "disorder")
    talk = Talk.opened(stage, "hi", COMPLETE)
    assert talk.late("Title: Something old") == []
    assert talk.values("title") == ["Export orders"]
    assert [one["text"] for one in talk.document["late"]] == ["Title: Something old"]


def test_preview_is_brought_to_mind_exactly_once(stage):
    talk = Talk.opened(stage, COMPLETE)
    passed = [[one.kind for one in talk.pass_time(hours=hours)] for hours in (23, 2, 24, 240)]
    assert passed == [[], ["reminder"], [], []]


def test_whoever_spoke_meanwhile_is_not_reminded(stage):
    talk = Talk.opened(stage, "hi")
    talk.pass_time(hours=20)
    talk.mention("Title: Export orders")
    assert talk.pass_time(hours=5) == []
    assert [one.kind for one in talk.pass_time(hours=20)] == ["reminder"]


@pytest.mark.slow
def test_process_that_begins_anew_between_any_two_turns_loses_nothing(stage):
    talk = Talk.opened(stage, "hi")
    turns = (
        lambda: talk.mention("Title: Export orders"),
        lambda: talk.say("Problem: Accountants copy orders by hand."),
        lambda: talk.say("Retention = at most 30 days", by=BOB),
        talk.quiet,
        lambda: talk.answer("An export of 1000 orders has 1000 rows."),
        lambda: talk.mention("Retention = at least 90 days"),
        lambda: talk.choose("keep_a", by=BOB),
        lambda: talk.pass_time(hours=25),
        lambda: talk.approve(by=BOB),
    )
    for turn in turns:
        stage.restart()
        turn()
    assert [one for one in talk.kinds if one != "ask"] == ["preview", "preview", "reminder", "created"]
    assert [talk.values(name) for name in ("title", "constraints")] == [["Export orders"], ["at most 30 days"]]
    (task,) = stage.home.tasks()
    assert "An export of 1000 orders has 1000 rows" in task.body


def test_two_threads_that_talk_in_turns_know_nothing_of_each_other(stage):
    one, other = Talk.opened(stage, "hi"), Talk.opened(stage, "hello")
    one.mention("Title: Export orders")
    other.mention("Title: Import articles")
    assert (one.values("title"), other.values("title")) == (["Export orders"], ["Import articles"])
    assert [found["id"] for found in stage.home.threads()] == [one.thread, other.thread]
