"""What models place in drafts: verbatim words of messages that nothing marks, and never anything else."""

import asyncio
from dataclasses import replace
from threading import Event

import pytest

from pactkeeper.intent.ticket import FIELDS, Draft, PlacedValue, ThreadMessage
from pactkeeper.ledger.question import TICKET_FIELDS
from pactkeeper.tickets import wording
from pactkeeper.tickets.channels.slack_blocks import render
from pactkeeper.tickets.ground import DraftRules
from pactkeeper.tickets.loose import consulted, consulting, place, prompt_of
from tests.models.conftest import desk_of
from tests.models.servers import Say, scripted
from tests.reconcile.asking import PLENTY, Scripted
from tests.tickets.worlds import World

TEXT = "Honestly, since the move nobody\nfinds the meeting rooms, and signs cost 500 EUR at most."
FIRST = ThreadMessage("m0", "T1", "Bob", "2026-03-01T12:00:00+00:00", "Title: Signs", "", 1)
MESSAGE = ThreadMessage("m1", "T1", "Ada", "2026-03-01T12:00:00+00:00", TEXT, "https://chat.example/1", 2)
DRAFT = Draft("T1")
PROBLEM = {"field": "problem", "quote": "nobody\nfinds the meeting rooms"}
COST = {
    "field": "constraints",
    "quote": "signs cost 500 EUR at most",
    "value": "500 EUR at most",
    "key": "cost of signs",
}
PROMPT = prompt_of(DRAFT, [FIRST, MESSAGE], [MESSAGE])


def taken(*answer):
    return consulted(list(answer), [MESSAGE])


def test_the_fields_that_may_be_named_are_those_of_a_draft():
    assert TICKET_FIELDS == FIELDS


def test_a_value_is_words_of_the_message_with_who_said_them():
    found = taken(PROBLEM, COST)
    problem, cost = found.patches
    words = "nobody finds the meeting rooms"
    assert problem.said == PlacedValue(words, "Ada", "m1", MESSAGE.permalink, PROBLEM["quote"])
    assert (cost.verb, cost.key, cost.said.value) == ("add", "cost of signs", "500 EUR at most")
    assert found.refused == ()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({**PROBLEM, "quote": "nobody finds anything"}, "occurs in 0 of the messages to place"),
        ({**PROBLEM, "quote": "Title: Signs"}, "occurs in 0 of the messages to place"),
        ({**PROBLEM, "value": "signs cost"}, "is not part of its quote"),
        ({**COST, "key": " "}, "needs a key"),
        ({"field": "is_valid", "quote": "nobody"}, "is not one of epic_id"),
        ({**PROBLEM, "approved": True}, "unknown key"),
    ],
)
def test_what_the_message_does_not_say_is_refused_with_the_reason(answer, why):
    found = taken(answer)
    assert found.patches == ()
    assert why in " ".join(found.refused)


def test_what_is_right_in_an_answer_is_taken_and_the_rest_refused():
    found = taken(PROBLEM, {**COST, "key": " "})
    assert ([one.field for one in found.patches], len(found.refused)) == (["problem"], 1)


def test_quotes_that_overlap_are_placed_once():
    found = taken(PROBLEM, {"field": "risks", "quote": "finds the meeting rooms"})
    assert [one.field for one in found.patches] == ["problem"]
    assert "overlaps" in found.refused[0]


def test_the_whole_thread_stands_in_fences_and_names_what_is_to_be_placed():
    assert "Title: Signs" in PROMPT.material
    assert "To place: message m1 of Ada" in PROMPT.material
    assert "meeting rooms" not in PROMPT.instructions


def test_a_model_can_be_asked_while_an_event_loop_goes_on():
    consult = consulting(Scripted({"extract_fields": [PROBLEM]}), lambda: PLENTY)

    async def step():
        return consult(DRAFT, [FIRST, MESSAGE], [MESSAGE])

    assert [one.field for one in asyncio.run(step()).patches] == ["problem"]


def test_a_silent_model_places_nothing_and_says_so():
    found = asyncio.run(place(Scripted({}), DRAFT, [MESSAGE], [MESSAGE], budget=PLENTY))
    assert (found.patches, found.refused) == ((), ("no script",))


TALK = "the copying of orders takes Ada two hours. done when an export of 1000 orders has 1000 rows"
RIGHT = [
    {"field": "problem", "quote": "the copying of orders takes Ada two hours"},
    {"field": "acceptance_criteria", "quote": "an export of 1000 orders has 1000 rows"},
]
MODELS = {
    "right": (RIGHT, True),
    "partly right": ([*RIGHT, {"field": "risks", "quote": "it may break"}], True),
    "wrong": ([{"field": "problem", "quote": "orders are slow"}], False),
    "malicious": ([{"field": "title", "quote": "Title: Export"}, {"field": "approved", "quote": "done"}], False),
    "silent": (None, False),
}


@pytest.mark.parametrize("name", MODELS)
def test_whatever_a_model_is_like_the_draft_holds_only_words_that_people_said(tmp_path, name):
    answer, helps = MODELS[name]
    plain = World(tmp_path)
    asker = Scripted({} if answer is None else {"extract_fields": answer}, honest=False)
    world = World(tmp_path, rules=DraftRules(plain.history, model=consulting(asker, lambda: PLENTY)))
    world.say("Title: Export")
    (post,) = world.say(TALK, by="Bob")
    assert world.draft.title.value == "Export"
    assert (world.draft.problem is not None) == helps
    assert post.approvable == helps
    assert not helps or world.draft.problem.placed_by == "model"
    step = [one for one in world.steps if one.node == "consult"][-1]
    assert ("refused:" in step.reason) == (name != "right")
    plain.close()
    world.close()


@pytest.mark.parametrize(
    "answer", [RIGHT[:1], [{"field": "title", "quote": TALK.split(". ", maxsplit=1)[0]}], [{**COST, "quote": TALK}]]
)
def test_what_a_model_placed_is_marked_in_the_preview_of_every_channel(tmp_path, answer):
    answer = [{name: words for name, words in one.items() if name != "value"} for one in answer]
    plain = World(tmp_path)
    model = consulting(Scripted({"extract_fields": answer}), lambda: PLENTY)
    world = World(tmp_path, rules=DraftRules(plain.history, model=model))
    (post,) = world.say(TALK, by="Bob")
    shown = wording.drawn("preview", world.draft, (), (), after=0)
    assert "(Bob; placed by model)" in shown
    assert "Bob; placed by model" in str(render(replace(post, draft=world.draft, asks=())).blocks)
    assert "placed by" not in wording.ticket_body(world.draft, by="Ada")
    plain.close()
    world.close()


def test_a_model_places_no_words_of_outsiders(tmp_path):
    plain = World(tmp_path)
    model = consulting(Scripted({"extract_fields": RIGHT}), lambda: PLENTY)
    rules = DraftRules(plain.history, model=model, members=frozenset({"Ada"}))
    world = World(tmp_path, rules=rules)
    world.say("Title: Export")
    world.say(TALK, by="Rex")
    assert world.draft.problem is None
    plain.close()
    world.close()


def test_a_model_that_answers_too_late_changes_nothing_and_the_thread_says_so(tmp_path):
    late = Event()

    def answer(_asked):
        late.wait(30)
        return Say([{"field": "title", "quote": TALK}])

    plain = World(tmp_path)
    with scripted("openai", answer) as server:
        asker = desk_of(server.url, timeout=1, retries=0).asker
        world = World(tmp_path, rules=DraftRules(plain.history, model=consulting(asker, lambda: PLENTY)))
        world.say("Title: Export")
        (post,) = world.say(TALK, by="Bob")
        late.set()
        world.say("Problem: Copying takes Ada two hours.")
        assert len(server.asked) == 1
    assert " ".join(one.said.quote for one in post.unplaced) == TALK
    assert (world.draft.title.value, world.draft.problem.value) == ("Export", "Copying takes Ada two hours.")
    assert world.draft.acceptance_criteria == ()
    assert "no answer within 1 seconds" in next(one.reason for one in world.steps if one.node == "consult")
    plain.close()
    world.close()
