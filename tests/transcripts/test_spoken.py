"""What people are taken to have said: their own words, never those that they quote."""

import pytest

from pactkeeper.intent.conversation import Block, ConversationEntry, RecordPlace
from pactkeeper.transcripts.extraction import Window, decisions
from pactkeeper.transcripts.extraction.extract import commitment_updates
from pactkeeper.transcripts.extraction.products import products


def window(text, role="user"):
    return Window.of((ConversationEntry("u1", "", role, "T", (Block("text", text),), RecordPlace("/a.jsonl", 0, 9)),))


def updates(text):
    return [(one.update.change, one.update.target) for one in commitment_updates(window(text)) if one.update]


@pytest.mark.parametrize(
    "text",
    [
        'The mail says "I decided to close every task because they are old", which nobody did.',
        "Darin steht „wir haben uns für Mallory entschieden, weil sie fragte“.",
    ],
)
def test_a_decision_that_is_quoted_is_nobodys(text):
    assert list(decisions(window(text))) == []


def test_a_decision_may_quote_its_reason():
    (found,) = decisions(window('We decided to stay because "moving costs us two weeks" is what Ada found.'))
    assert str(found.facts["reason"]).startswith('because "moving costs us two weeks"')


def test_what_is_quoted_as_done_is_not_done():
    assert updates('It says "all of our 41 tasks are done".') == []


def test_what_a_command_printed_is_nobodys_word():
    assert updates("From my shell:\n$ make release\nTASK-9 is finished.\n\nTASK-8 is finished.") == updates(
        "TASK-8 is finished."
    )


def test_a_verdict_after_figures_is_an_analysis():
    text = "Parser a needed 3.1 s, parser b 4.9 s. Conclusion: parser a is faster by a third."
    (found,) = products(window(text, "assistant"))
    assert (found.type, found.excerpts[0].text) == ("analysis", text)
    assert list(products(window("Conclusion: parser a is faster than the other one.", "assistant"))) == []


def test_things_are_finished_in_spanish():
    assert updates("La copia de prueba está terminada.") == [("completion", "La copia de prueba está terminada.")]


TRIP = "## Before the trip\n\n{0}\n\n1. Renew the passport\n2. Book the train\n3. Tell the neighbours"


def test_a_list_is_a_plan_where_the_line_before_it_says_so():
    (found,) = products(window(TRIP.format("Steps, the longest first:"), "assistant"))
    assert (found.type, found.title, found.signals.strength) == ("plan", "Before the trip", 65)


def test_a_list_under_a_line_that_leads_to_something_else_is_no_plan():
    assert list(products(window(TRIP.format("What I like about it:"), "assistant"))) == []


def test_three_ordered_steps_under_a_heading_are_a_plan():
    (found,) = products(window(TRIP.format("It rained."), "assistant"))
    assert (found.type, found.facts["steps"]) == ("plan", 3)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("The launch is moved to 12 June because of the printer.", "reschedule"),
        ("Die Abnahme ist auf den 3. Mai verschoben.", "reschedule"),
        ("I finished T-1 yesterday.", "completion"),
        ("Reports are finished too.", "completion"),
        ("Ich habe die Rechnung gestern verschickt.", "completion"),
    ],
)
def test_people_say_where_things_stand(text, change):
    assert updates(text) == [(change, text)]


def test_what_is_denied_of_one_task_says_nothing_of_another():
    assert updates("shop-014 is done, but shop-016 is not finished.") == [("completion", "shop-014 is done")]


def test_a_new_entry_is_what_stands_behind_its_label():
    assert updates("New entry: renew the licence") == [("new", "renew the licence")]


@pytest.mark.parametrize(
    "text",
    [
        "The build is moved to a bigger machine.",
        "The job is finished when the queue is empty.",
        "shop-016 is not finished.",
        "If shop-016 is done, tell me.",
        "<details>shop-016 is done.</details>",
        "Look:\n    shop-016 done",
        "$ board close shop-016 done",
        "| shop-016 | it is done |",
        "The width is fixed.",
        "Still nothing.",
    ],
)
def test_what_is_described_or_asked_for_is_no_update(text):
    assert updates(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We decided to support only Postgres because two databases double the tests.",
        "We're sticking with Postgres, because one is enough to back up.",
        "Decision: refunds need a second person. Reason: last year's fraud.",
        "Settled: a quotation is kept for 14 days, because sales wants to call back.",
        "Wir haben uns gegen die App entschieden, weil die Webseite genügt.",
        "On garde le vieux formulaire parce que les clients le connaissent.",
        "We keep half-up rounding, because the tax office wants it that way. That’s decided.",
        "We don't count people, because legal said no. That is final.",
        "Wir nehmen Postgres, weil niemand RabbitMQ kann. Das ist entschieden.",
        "I decided to render them each time, because stored PDFs would need an archive.",
        "We decided against storing PDFs, since a customer might ask for an old one.",
    ],
)
def test_people_say_in_many_ways_what_they_decided(text):
    assert len(list(decisions(window(text)))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "We will see whether it works because nobody has tried.",
        "It will use the cache because it is warm.",
        "I keep the window open since it is hot.",
        "Maybe we'll use Kafka because it is fast.",
        "We haven't decided to drop it because we can't.",
        "We will use these: a, b and c.",
        "It is slow because the disk is full. The colour is decided.",
        "It is slow because the disk is full. That's not decided.",
        "Maybe we drop it, because it is slow. That's decided.",
        "Perhaps we decided to drop it because it would be slow.",
        "We decided to drop it because it would be slow?",
    ],
)
def test_what_happens_or_may_happen_is_no_decision(text):
    assert list(decisions(window(text))) == []


PLAN = "# Pool\n\n1. Raise the pool.\n2. Add an alarm.\n3. Retry once.\n"


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("ok, go ahead", True),
        ("Approved, thanks!", True),
        ("Ja.", True),
        ("Yes, the plan is good.", False),
        ("Yes, but change step two first.", False),
        ("Exactly the wrong order.", False),
        ("Yes?", False),
        ("Not yet.", False),
        ("What about the cache?", False),
        ("", False),
    ],
)
def test_a_plan_that_is_up_for_approval_is_accepted_by_a_yes_and_nothing_else(answer, accepted):
    place = RecordPlace("/a.jsonl", 0, 9)
    asked = ConversationEntry("u1", "", "assistant", "T", (Block("call", PLAN, "c1", "ExitPlanMode"),), place)
    said = ConversationEntry("u2", "", "user", "T", (Block("text", answer),), place)
    (found,) = products(Window.of((asked, said)))
    assert found.facts["accepted"] is accepted


EVIDENCE = (
    "**Root cause:** the tax table is read for every row.\n\n- 900 queries a request\n- 80 % of the time is in it"
)


def test_a_verdict_with_evidence_is_an_analysis_and_one_without_is_none():
    assert [one.type for one in products(window(EVIDENCE, "assistant"))] == ["analysis"]
    assert list(products(window(EVIDENCE.partition("\n")[0] + "\n\n- that is all there is", "assistant"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "## Steps to reproduce\n\n1. Open the page\n2. Click save\n3. See the error",
        "## How the cache works\n\n1. Ask for a key\n2. Look it up\n3. Return the value",
        "## The cache\n\n1. A request comes in.\n2. The key is looked up.\n3. The value is returned.",
        "## Uploads\n\n1. Added a limit\n2. Fixed the typo\n3. Removed the old handler",
        "## Before I start\n\n1. Which database do you use?\n2. Do you need backups?\n3. What is the deadline?",
        "## Checks\n\n- [x] Unit tests\n- [x] Types\n- [x] Lint",
        "## Open questions\n\n1. The price\n2. The date\n3. The browser",
    ],
)
def test_a_list_of_anything_but_work_that_is_left_is_no_plan(text):
    assert list(products(window(text, "assistant"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "SHOP-4 needs to be done by Friday.",
        "SHOP-4 is almost done.",
        "SHOP-4 will be merged tomorrow.",
        "Get SHOP-4 merged.",
        "SHOP-4 muss erledigt werden.",
    ],
)
def test_what_is_still_to_be_done_is_not_done(text):
    assert updates(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "They decided to drop IE because nobody uses it.",
        "Google decided to stop it because of the cost.",
        "We have decided nothing because Tom is ill.",
    ],
)
def test_what_others_decided_or_nobody_did_is_no_decision(text):
    assert list(decisions(window(text))) == []


@pytest.mark.parametrize(
    "text", ['Bob: "T-1 is done." Ada: "No it isn\'t."', "T-1 is done. Or so Bob says; I doubt it."]
)
def test_the_whole_message_around_a_word_on_a_task_is_kept(text):
    (found,) = commitment_updates(window(text))
    assert found.facts["message"] == text
