from dataclasses import replace

import pytest

from pactkeeper.errors import RefusedError
from pactkeeper.intent.actions import Action, Confidence, Deed
from pactkeeper.intent.board import ArchiveTask, Written
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.store.actions import (
    Suggestion,
    automatic_since,
    find_deed,
    list_deeds,
    mark_seen,
    save_deed,
    save_suggestion,
    suggestions,
)
from tests.store.rows import AT, LATER

OP = Op(
    "createTask",
    "task:home:renew",
    None,
    {"board": "home", "title": "Renew it", "body": "[daemon]"},
    (Evidence("mechanical", "/chats/a.jsonl", quote="1. Renew it"),),
    confidence="0.95",
)
ACTION = Action(OP, "fp-1", Confidence(95, 95, 100, 90), 1, "step 1 of a plan", machine=True)
YES = Decision(OP.id, OP.shown_hash, "accept", "ada", AT)
BEGUN = Deed(ACTION, "begun", AT)
WRITTEN = Written(OP.id, "createTask", "T-1", "written", after={"title": "Renew it"}, undo=ArchiveTask("T-1"))


def test_a_deed_comes_back_with_its_decision_and_what_was_written(history):
    save_deed(history, replace(BEGUN, decision=YES))
    done = replace(BEGUN, decision=YES).now("done", at=LATER, written=WRITTEN)
    save_deed(history, done)
    assert find_deed(history, ACTION.id) == done


@pytest.mark.parametrize(
    "standings", [("done",), ("begun", "done", "begun"), ("begun", "done", "undoing", "undone", "begun")]
)
def test_a_step_that_cannot_follow_is_refused_and_nothing_is_kept_of_it(history, standings):
    for standing in standings[:-1]:
        save_deed(history, BEGUN.now(standing, at=AT))
    before = find_deed(history, ACTION.id)
    with pytest.raises(RefusedError, match=f"cannot be '{standings[-1]}'"):
        save_deed(history, BEGUN.now(standings[-1], at=LATER))
    assert find_deed(history, ACTION.id) == before


def test_what_happened_by_itself_is_counted_from_when_it_began(history):
    save_deed(history, BEGUN)
    save_deed(history, BEGUN.now("done", at=LATER, written=WRITTEN))
    assert [automatic_since(history, moment) for moment in (AT, LATER)] == [1, 0]


def test_what_a_person_was_shown_is_no_news(history):
    save_deed(history, BEGUN)
    mark_seen(history, [ACTION.id], at=LATER)
    save_deed(history, BEGUN.now("done", at=LATER, written=WRITTEN))
    assert list_deeds(history, unseen=True) == ()
    assert [one.standing for one in list_deeds(history, standings=["done"])] == ["done"]


def test_an_agent_only_suggests(history):
    said = Suggestion(ACTION.id, "accept", "claude", LATER, "it is in the plan")
    save_suggestion(history, replace(said, verdict="reject", at=AT))
    save_suggestion(history, said)
    assert suggestions(history) == {ACTION.id: said}
    assert find_deed(history, ACTION.id) is None


def test_a_neighbour_sees_none_of_it(history, neighbour):
    save_deed(history, BEGUN)
    save_suggestion(history, Suggestion(ACTION.id, "accept", "claude", AT))
    assert (list_deeds(neighbour), suggestions(neighbour)) == ((), {})
