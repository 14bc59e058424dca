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
