"""Answers that people give to our questions, read word for word."""

import pytest

from pactkeeper.intent.ticket import CHOICES, Ask
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


SHORT, LONG = "a trial ends after 14 days", "a trial ends after 30 days"


def dispute(*sides, field="acceptance_criteria", key=""):
    return Ask("conflict", field, "Which one?", "cf-1", sides, CHOICES, key=key)


def disputing():
    return Talk(f"Title: Trials\nAC:\n- {SHORT}\n- {LONG}", asks=[dispute(SHORT, LONG)])


# @atom IA-WMH75K5
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("keep the 30, fine", LONG),
        ("the 30 days one", LONG),
        ("30 is fine", LONG),
        ("I'd go with 30", LONG),
        ("I think 30 days is right", LONG),
        ("let's take 30 because sales wants it", LONG),
        ("take the first, fine", SHORT),
        ("2 weeks", SHORT),
        ("nehmen wir 30", LONG),
        ("on garde 14", SHORT),
        ("neither, 20 days", "a trial ends after 20 days"),
        ("neither, 20", "a trial ends after 20 days"),
        ("make it 3 weeks please", "a trial ends after 3 weeks"),
        ("a trial ends after 20 days", "a trial ends after 20 days"),
    ],
)
def test_choice_leaves_one_whole_sentence(text, left):
    talk = disputing().say(text, by="Bob")
    assert talk.values("acceptance_criteria") == [left]
    assert len(talk.draft.settled) == 1


# @atom IA-S6NF2BW
@pytest.mark.parametrize(
    "text",
    [
        "neither",
        "keep it",
        "neither, ask Rosa",
        "not 30",
        "not the first",
        "30 or 14?",
        "keep the 30, not the 14 or so",
        "keep 20 %",
        "20 days for admins",
        "14 for EU and 30 for US",
        "I don't know, ask Rosa",
    ],
)
def test_unclear_choice_leaves_the_conflict_open(text):
    talk = disputing().say(text, by="Bob")
    assert talk.values("acceptance_criteria") == [SHORT, LONG]
    assert talk.draft.settled == ()


# @atom IA-X1X7FW4
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("keep EU, fine", ["EU"]),
        ("the US one", ["US"]),
        ("neither, Norway", ["Norway"]),
        ("neither, ask Rosa", ["EU", "US"]),
    ],
)
def test_name_is_chosen_by_its_words_or_given_anew(text, left):
    talk = Talk("Constraints:\nRegion: EU").say("Constraints:\nRegion: US", by="Bob")
    talk.asks = [dispute("EU", "US", field="constraints", key="Region")]
    assert talk.say(text).bounds == [("Region", left)]


# @atom IA-D4G9RKS
def test_amount_for_a_constraint_in_words_stays_a_constraint():
    talk = Talk("Constraints:\nsession: 15 minutes", "AC: A session lasts 30 minutes")
    talk.asks = [dispute("session: 15 minutes", "A session lasts 30 minutes")]
    talk.say("neither, 20 minutes")
    assert talk.bounds == [("session", ["20 minutes"])]
    assert talk.values("acceptance_criteria") == []


@pytest.mark.parametrize(
    "text",
    [
        "1) Faster search 2) People give up 3) Results are shown at once",
        "1. Faster search, 2. People give up; 3. Results are shown at once",
        "Hi! 1) Faster search. 2) People give up 3) Results are shown at once",
        "(1) Faster search (2) People give up (3) Results are shown at once",
    ],
)
def test_numbers_on_one_line_answer_their_questions(text):
    talk = Talk(text, asks=[TITLE, PROBLEM, CRITERION])
    assert [talk.values(one) for one in ("title", "problem", "acceptance_criteria")] == [
        ["Faster search"],
        ["People give up"],
        ["Results are shown at once"],
    ]
    assert set(talk.last.answered) == {TITLE.id, PROBLEM.id, CRITERION.id}


def test_numbered_not_knowing_is_about_its_question_alone():
    talk = Talk("1) I don't know, ask Rosa 2) People give up", asks=[TITLE, PROBLEM])
    assert [one.field for one in talk.draft.unknown] == ["title"]
    assert talk.values("problem") == ["People give up"]


def test_number_that_no_question_bears_parts_nothing():
    talk = Talk("1) Faster search 2) People give up in round 3) of it", asks=[TITLE, PROBLEM])
    assert talk.values("problem") == ["People give up in round 3) of it"]


@pytest.mark.parametrize("text", ["1) keep the 30 2) the first", "2) the first\n1) keep the 30"])
def test_numbers_name_the_conflict_that_is_settled(text):
    talk = disputing().say("Region: EU").say("Constraints:\nRegion: EU\nRegion: US", by="Bob")
    talk.asks = [dispute(SHORT, LONG), dispute("EU", "US", field="constraints", key="Region")]
    talk.say(text)
    assert (talk.values("acceptance_criteria"), talk.bounds) == ([LONG], [("Region", ["EU"])])


def test_numbered_sentence_with_a_bound_answers_its_question():
    talk = Talk("1) people lose trials 2) a trial ends after 14 days", asks=[PROBLEM, CRITERION])
    assert (talk.values("acceptance_criteria"), talk.bounds) == (["A trial ends after 14 days"], [])
    assert talk.last.answered == (PROBLEM.id, CRITERION.id)
