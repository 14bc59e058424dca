"""Answers that people give to our questions, read word for word."""

import pytest

from pactkeeper.intent.ticket import Ask
from tests.tickets.threads import Talk

TITLE = Ask("missing", "title", "Title?")
PROBLEM = Ask("missing", "problem", "Problem?")
CRITERION = Ask("missing", "acceptance_criteria", "Criterion?")


@pytest.mark.parametrize("ask", [PROBLEM, CRITERION])
@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("I don't know, ask Rosa", ["ask Rosa"]),
        ("I don’t know yet, will ask Rosa", ["will ask Rosa"]),
        ("Sorry, not sure, Rosa knows", ["Rosa knows"]),
        ("I really don't know what to say here", ["what to say here"]),
        ("no idea either", []),
        ("Keine Ahnung, frag Rosa", ["frag Rosa"]),
        ("Das weiß ich leider nicht, frag Rosa", ["frag Rosa"]),
        ("je ne sais pas encore, demande à Rosa", ["demande à Rosa"]),
        ("ni idea, pregunta a Rosa", ["pregunta a Rosa"]),
        ("no lo sé, pregunta a Rosa", ["pregunta a Rosa"]),
    ],
)
def test_reply_that_begins_with_not_knowing_fills_no_field(ask, text, beside):
    talk = Talk(text, asks=[ask])
    assert [one.field for one in talk.draft.unknown] == [ask.field]
    assert talk.values(ask.field) == []
    assert [one.text for one in talk.last.unplaced] == beside


@pytest.mark.parametrize(
    "text", ["Nobody knows which orders are paid", "I can't tell which orders are paid", "Das weiß ich: Kunden warten"]
)
def test_trouble_that_mentions_knowing_is_an_answer(text):
    assert Talk(text, asks=[PROBLEM]).values("problem") == [text]


@pytest.mark.parametrize("text", ["no idea either", "not sure, Rosa knows", "I don't know yet, will ask Rosa"])
def test_not_knowing_is_no_criterion_where_nothing_was_asked(text):
    talk = Talk("Title: Export", text)
    assert talk.values("acceptance_criteria") == []
    assert talk.values("problem") == []
