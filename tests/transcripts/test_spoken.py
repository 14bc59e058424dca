"""What people are taken to have said: their own words, never those that they quote."""

import pytest

from pactkeeper.intent.conversation import Block, Entry, Place
from pactkeeper.transcripts.extraction.commitments import commitment_updates
from pactkeeper.transcripts.extraction.decisions import decisions
from pactkeeper.transcripts.extraction.products import products
from pactkeeper.transcripts.extraction.window import Window


def window(text, role="user"):
    return Window.of((Entry("u1", "", role, "T", (Block("text", text),), Place("/a.jsonl", 0, 9)),))


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


def test_a_thing_that_is_done_may_be_quoted():
    assert updates('I finished "Send the invoice to Bob for April".') == [
        ("completion", "Send the invoice to Bob for April")
    ]


def test_things_are_finished_in_spanish():
    assert updates("Ya terminé la copia de prueba. Envié la factura.") == [
        ("completion", "la copia de prueba"),
        ("completion", "la factura"),
    ]


TRIP = "## Before the trip\n\n{0}\n\n1. Renew the passport\n2. Book the train\n3. Tell the neighbours"


def test_a_list_is_a_plan_where_the_line_before_it_says_so():
    (found,) = products(window(TRIP.format("Steps, the longest first:"), "assistant"))
    assert (found.type, found.title, found.signals.strength) == ("plan", "Before the trip", 65)


@pytest.mark.parametrize("line", ["It rained. The next steps are known.", "What I like about it:"])
def test_a_line_that_leads_to_no_plan_makes_none(line):
    assert list(products(window(TRIP.format(line), "assistant"))) == []


@pytest.mark.parametrize(
    ("text", "change", "target"),
    [
        ("The launch is moved to 12 June because of the printer.", "reschedule", "The launch"),
        ("The page got pushed back to September.", "reschedule", "The page"),
        ("La livraison est repoussée à lundi prochain.", "reschedule", "La livraison"),
        ("Der Umbau zieht sich bis Oktober.", "reschedule", "Der Umbau"),
        ("The certificates have been renewed.", "completion", "The certificates"),
        ("Reports are finished too.", "completion", "Reports"),
        ("I finished T-1 yesterday.", "completion", "T-1"),
        ("We shipped the export this morning, at last.", "completion", "the export"),
        ("I finished the report of yesterday.", "completion", "the report of yesterday"),
        ("Ich habe die Rechnung gestern verschickt.", "completion", "die Rechnung"),
        ("Just wrapped up the backup script.", "completion", "the backup script"),
        ("I ordered the shelves, that's done.", "completion", "the shelves"),
        ("The monitoring is halfway there.", "progress", "The monitoring"),
        ("Still waiting for the contract.", "friction", "the contract"),
        ("J'attends toujours la réponse.", "friction", "la réponse"),
    ],
)
def test_people_say_where_things_stand_in_many_ways(text, change, target):
    assert updates(text) == [(change, target)]


@pytest.mark.parametrize(
    "text",
    [
        "The build is moved to a bigger machine.",
        "The job is finished when the queue is empty.",
        "I'm waiting for you to answer.",
        "I'm waiting for the build.",
        "The width is fixed.",
        "Still nothing.",
    ],
)
def test_what_is_described_or_asked_for_is_no_update(text):
    assert updates(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We will support only Postgres because two databases double the tests.",
        "We're sticking with Postgres, because one is enough to back up.",
        "We won't support tenants: it would triple the tests.",
        "Decision: refunds need a second person. Reason: last year's fraud.",
        "Wir lassen die App erstmal weg, weil die Webseite genügt.",
        "On garde le vieux formulaire parce que les clients le connaissent.",
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
    ],
)
def test_what_happens_or_may_happen_is_no_decision(text):
    assert list(decisions(window(text))) == []
