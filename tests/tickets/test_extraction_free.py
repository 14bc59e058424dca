"""Free talk as in chats: what opens a thread, rules without a duty, bounds without a verb, jests, and what is left."""

import pytest

from pactkeeper.intent.ticket import Ask
from tests.tickets.threads import Talk

TITLE = Ask("missing", "title", "Title?")
PROBLEM = "Problem: Clerks copy orders by hand."


@pytest.mark.parametrize(
    "text",
    [
        "people buy two seats and end up in different rows",
        "deploys keep hanging at the lock since monday",
        "moin, die Picker laufen dreimal durch dieselbe Halle weil die Liste falsch sortiert ist",
        "los pacientes llaman a las 8 y la línea se cae todos los lunes",
        "drivers on the 14 refuse strollers when the bus is half empty",
        "I'm having issues with sessions that end while I write",
        "so the export keeps timing out and finance copies orders by hand every monday 🙃",
    ],
)
def test_what_opens_a_thread_is_the_problem(text):
    (found,) = Talk(text).values("problem")
    assert found.casefold() in text.casefold()


@pytest.mark.parametrize(
    "text",
    [
        "the export of all orders of a year",
        "is there a way to see all orders of last year",
        "let's count with sensors instead of by hand",
        "we should sue them all for that 😂",
        "We had our company party at the lake yesterday",
        "set a limit on the number of images that go up",
    ],
)
def test_fragments_questions_proposals_and_jests_are_no_problem(text):
    assert Talk(text).values("problem") == []


def test_a_problem_under_its_name_takes_the_place_of_what_its_speaker_only_opened_with():
    talk = Talk("drivers refuse strollers when the bus is half empty", "Problem: Parents are left at the stop.")
    assert talk.values("problem") == ["Parents are left at the stop."]


def test_two_problems_under_their_name_are_both_held():
    talk = Talk("Problem: Clerks copy all orders by hand every day.", "Problem: Nobody knows which orders were copied.")
    assert len(talk.values("problem")) == 2


def test_a_statement_after_a_title_is_no_problem_unless_it_tells_of_trouble():
    assert Talk("Title: Logs", "Logs older than the retention are gone the next morning.").values("problem") == []


@pytest.mark.parametrize(
    "text",
    [
        "a caller who leaves a number is called back within 2 hours",
        "each key gets at most 100 requests per second",
        "an account without a verified number can't queue for ranked",
        "when a shift ends everybody sees their share on the till",
        "logs arrive at the control room no later than 10 minutes after the trip",
        "Outside counsel can never see the results.",
        "vents are closed when the wind is above 60 km/h",
        "jede Mail bekommt eine Nummer im Betreff",
        "un billet annulé est remboursé le jour même",
    ],
)
def test_a_plain_statement_of_how_things_shall_be_is_a_criterion(text):
    (found,) = Talk(PROBLEM, text).values("acceptance_criteria")
    assert found.casefold() == text.casefold()


@pytest.mark.parametrize(
    "text",
    [
        "a blind user emailed us and the picker trapped her",
        "a lot of people write to us about this",
        "when a turbine trips we drive out for two hours",
        "the vendor charges us 5 euro for each of them",
        "every morning the line is longer than before",
        "if that is the case, a window will pop up",
        "a mechanism for that would be good to have here",
        "currently an order has no number at all",
        "each group is about 200 images in our case",
        "a limit might be needed for the images",
        "this should first be discussed with the others",
    ],
)
def test_reports_of_what_was_or_is_are_no_criteria(text):
    assert Talk(PROBLEM, text).values("acceptance_criteria") == []


def test_a_plain_statement_is_no_criterion_before_anybody_said_what_it_is_about():
    assert Talk("a caller is called back within 2 hours").values("acceptance_criteria") == []


def test_a_reason_behind_a_comma_stays_in_the_quote_alone():
    talk = Talk(PROBLEM, "it has to work on android 9, they won't get new phones before 2027")
    (found,) = talk.draft.acceptance_criteria
    assert found.value == "It has to work on android 9"
    assert found.quote.endswith("before 2027")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("response time under 200 ms", "response time", "under 200 ms"),
        ("legal says a grace period of 24 hours at the very most", "grace period", "at most 24 hours"),
        ("pro Liste maximal 30 Positionen", "Positionen per Liste", "maximal 30"),
        ("due before the live tour on 12 May", "due", "before the live tour on 12 May"),
        ("sales for the gala open on 1 March", "sales for the gala open", "on 1 March"),
    ],
)
def test_a_bound_without_a_duty_is_a_constraint(text, key, value):
    assert Talk(PROBLEM, text).bounds == [(key, [value])]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("could we just show the payout date next to the order?", "Show the payout date next to the order"),
        ("would be nice if chapters moved along with the ads", "Chapters moved along with the ads"),
        ("i wish the till would split tips by hours", "The till would split tips by hours"),
        ("please lock a note while someone writes in it", "Lock a note while someone writes in it"),
        ('yes! title could be "Inspections without network"', "Inspections without network"),
        ("A mechanism to reconfigure the timeout would be good", "A mechanism to reconfigure the timeout"),
        ("タイトル: シフト交換", "シフト交換"),
        ("titel: Actuele telling", "Actuele telling"),
    ],
)
def test_a_wish_gives_the_title(text, title):
    assert Talk(text).values("title") == [title]


@pytest.mark.parametrize("heading", ["## Request", "### Description", "## Steps to reproduce", "## Bug report"])
def test_a_heading_of_a_form_is_no_title(heading):
    assert Talk(heading).values("title") == []


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("heads up, needs the finance api first (FIN-2201)", "dependencies", "the finance api first (FIN-2201)"),
        ("we can only do this after the accounts are sorted", "dependencies", "the accounts are sorted"),
        ("hangt af van de sensoren", "dependencies", "de sensoren"),
        ("achtung, hängt vom neuen Plan ab", "dependencies", "neuen Plan"),
        ("worried that seasonal stuff fires every december", "risks", "Seasonal stuff fires every december"),
        ("me preocupa que la gente no venga", "risks", "La gente no venga"),
        (
            "what do we do when two people edited the same form",
            "open_questions",
            "what do we do when two people edited the same form",
        ),
    ],
)
def test_fields_are_named_as_people_do_in_chats(text, field, value):
    assert Talk(PROBLEM, text).values(field) == [value]


@pytest.mark.parametrize(
    "text", ["source?", "how many?", "throttle them?", "how do you know?", "which one", "ugh again??"]
)
def test_asking_each_other_back_is_no_open_question(text):
    assert Talk(text).last.noise


def test_a_heading_further_down_is_no_title():
    assert Talk("## Problem\nClerks copy orders.\n\n### Calendar app\nversion 3").values("title") == []


def test_a_sentence_ends_where_the_next_one_begins_small():
    talk = Talk("we need a reminder in the app. right now nobody knows when it is time")
    assert talk.values("title") == ["A reminder in the app"]
    assert talk.values("problem") == ["Right now nobody knows when it is time"]


def test_a_greeting_does_not_hide_what_follows_it():
    assert Talk("hi we lose orders every day because the export hangs").values("problem") != []


def test_an_amount_alone_is_held_against_what_somebody_else_said():
    talk = Talk(PROBLEM, "a note should unlock after 5 minutes without typing")
    talk.say("no. 15 minutes, we get called away", by="Bob")
    assert talk.values("acceptance_criteria") == [
        "A note should unlock after 5 minutes without typing",
        "A note should unlock after 15 minutes without typing",
    ]


def test_an_amount_alone_has_the_bound_of_what_it_is_set_against():
    talk = Talk(PROBLEM, "an export of 20k orders finishes within 2 minutes").say("no. 5 minutes, it is slow", by="Bob")
    assert talk.values("acceptance_criteria")[1] == "An export of 20k orders finishes within 5 minutes"


@pytest.mark.parametrize("text", ["no. 15 MB", "15 minutes ago it was fine", "15 of them"])
def test_an_amount_of_another_kind_or_within_a_sentence_is_held_against_nothing(text):
    talk = Talk(PROBLEM, "a note should unlock after 5 minutes without typing").say(text, by="Bob")
    assert len(talk.values("acceptance_criteria")) == 1


def test_the_rest_of_a_message_that_was_pasted_is_left_over():
    talk = Talk(PROBLEM, "\n".join(f"a caller {number} is called back" for number in range(250)))
    assert talk.last.unplaced[-1].text.endswith("a caller 249 is called back")
    assert len(talk.values("acceptance_criteria")) == 200


def test_a_row_of_a_table_is_no_sentence():
    talk = Talk(PROBLEM, f"a caller is called back within{' ' * 30}2 hours")
    assert talk.values("acceptance_criteria") == []


def test_who_should_do_something_is_no_answer_to_the_question_for_a_title():
    assert Talk("someone should order new beans", asks=[TITLE]).values("title") == []
    assert Talk("we should archive closed cases", asks=[TITLE]).values("title") == ["Archive closed cases"]
