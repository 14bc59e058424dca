import asyncio

import pytest

from pactkeeper.intent.ticket import FIELDS, Draft, Said, ThreadMessage, sides_of
from pactkeeper.intent.ticket_patch import DraftPatch, apply
from pactkeeper.ledger.kinds import TICKET_FIELDS
from pactkeeper.tickets.asking import consulting, patches_of, place, prompt_of, wrong_with
from tests.reconcile.asking import PLENTY, Scripted

TEXT = "Honestly, since the move nobody\nfinds the meeting rooms, and signs cost 500 EUR at most."
MESSAGE = ThreadMessage("m1", "T1", "Ada", "2026-03-01T12:00:00+00:00", TEXT, "https://chat.example/1", 1)
DRAFT = Draft("T1")
PROBLEM = {"field": "problem", "quote": "nobody finds the meeting rooms"}
COST = {
    "field": "constraints",
    "quote": "signs cost 500 EUR at most",
    "value": "500 EUR at most",
    "key": "cost of signs",
}


def wrong(*answer):
    return wrong_with(list(answer), MESSAGE, prompt_of(MESSAGE, DRAFT))


def placed(script, budget=PLENTY):
    return asyncio.run(place(Scripted(script), DRAFT, [MESSAGE], budget=budget))


def test_the_fields_that_may_be_named_are_those_of_a_draft():
    assert TICKET_FIELDS == FIELDS


def test_a_value_is_words_of_the_message_with_who_said_them():
    assert wrong(PROBLEM, COST) == ()
    problem, cost = patches_of([PROBLEM, COST], MESSAGE)
    assert problem.said == Said(PROBLEM["quote"], "Ada", "m1", MESSAGE.permalink, PROBLEM["quote"])
    assert (cost.verb, cost.key, cost.said.value) == ("add", "cost of signs", "500 EUR at most")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({**PROBLEM, "quote": "nobody finds anything"}, "does not occur in the message"),
        ({**PROBLEM, "value": "signs cost"}, "is no part of its quote"),
        ({**COST, "key": " "}, "needs a key"),
        ({"field": "is_valid", "quote": "nobody"}, "is not one of epic_id"),
        ({**PROBLEM, "approved": True}, "unknown key"),
    ],
)
def test_what_the_message_does_not_say_is_refused(answer, why):
    assert why in " ".join(wrong(answer))


def test_an_answer_that_nobody_checked_is_checked_here():
    asker = Scripted({"extract_fields": [{"field": "title", "quote": "Buy signs"}]}, honest=False)
    assert asyncio.run(place(asker, DRAFT, [MESSAGE], budget=PLENTY)) == ()


def test_without_an_answer_nothing_is_placed():
    assert placed({}) == ()


def test_what_a_model_reads_is_held_beside_what_people_said():
    before = apply(DRAFT, [DraftPatch("set", "problem", Said("Doors squeak.", "Bob", "m0", "", "Doors squeak."))])
    after = apply(before, placed({"extract_fields": [PROBLEM]}))
    assert [side.author for side in sides_of(after.problem)] == ["Bob", "Ada"]


def test_the_words_of_a_message_stand_in_the_fence_alone():
    prompt = prompt_of(MESSAGE, DRAFT)
    assert "meeting rooms" in prompt.material
    assert "meeting rooms" not in prompt.instructions


def test_a_model_can_be_asked_while_an_event_loop_goes_on():
    consult = consulting(Scripted({"extract_fields": [PROBLEM]}), lambda: PLENTY)

    async def step():
        return consult(DRAFT, [MESSAGE])

    assert [one.field for one in asyncio.run(step())] == ["problem"]
