import pytest

from pactkeeper.tickets.checking import validate
from pactkeeper.tickets.ground import decide
from tests.tickets.threads import Talk

WHOLE = "Title: Export orders\nProblem: Clerks copy orders.\nAC: An export holds every open order."


def decided(draft, **standing):
    return decide(draft, validate(draft), **standing)


def test_hi_is_asked_what_it_is_about():
    found = decided(Talk("hi").draft)
    assert found.decided == "ask"
    assert [one.field for one in found.asks] == ["title", "problem", "acceptance_criteria"]


def test_a_thread_that_began_with_hi_gets_on():
    talk = Talk("hi")
    talk.asks = decided(talk.draft).asks
    talk.say(WHOLE)
    assert decided(talk.draft).decided == "preview"


def test_four_turns_lead_to_a_preview():
    talk = Talk("hi")
    seen = []
    for text in (
        "Title: Export of orders",
        "Problem: clerks copy orders by hand",
        "AC: An export holds every open order.",
    ):
        talk.asks = decided(talk.draft).asks
        seen.append(len(talk.asks))
        talk.say(text)
    assert seen == [3, 2, 1]
    assert decided(talk.draft).decided == "preview"


def test_a_title_that_is_too_long_is_asked_for_again_and_the_answer_takes_its_place():
    talk = Talk(WHOLE.replace("Export orders", "Export " + "x" * 1_000))
    (ask,) = decided(talk.draft).asks
    assert ask.text.startswith("The title has 1,007 characters but at most 255 are allowed. ")
    talk.asks = (ask,)
    talk.say("Export of orders", addressed=True)
    assert decided(talk.draft).decided == "preview"
    assert talk.values("title") == ["Export of orders"]


def test_conflicts_are_asked_before_what_is_missing():
    talk = Talk("Title: A").say("Title: B", by="Bob")
    found = decided(talk.draft)
    assert {one.topic for one in found.asks} == {"conflict"}
    assert found.facts["because"] == "conflicts"
    assert len(found.facts["reasons"]) == 3


def test_at_most_three_questions_are_put_together():
    text = "\n".join(
        f"{key}: {value}" for key in ("retention limit", "trial period", "page size", "queue size") for value in (3, 5)
    )
    found = decided(Talk(WHOLE, f"Constraints:\n{text}").draft)
    assert len(found.asks) == 3
    assert len(found.facts["reasons"]) == 4


def test_a_conflict_offers_its_sides():
    talk = Talk(WHOLE, "retention = 30 days").say("retention = 14 days", by="Bob")
    (ask,) = decided(talk.draft).asks
    assert (ask.sides, ask.choices, ask.key) == (
        ("30 days", "14 days"),
        ("keep_a", "keep_b", "both", "amend"),
        "retention",
    )
    assert "'30 days' for Ada and '14 days' for Bob" in ask.text


def test_a_reply_to_the_question_ends_the_conflict():
    talk = Talk(WHOLE, "retention = 30 days").say("retention = 14 days", by="Bob")
    talk.asks = decided(talk.draft).asks
    talk.say("keep B")
    assert decided(talk.draft).decided == "preview"


@pytest.mark.parametrize("reply", ["A", "both", "The retention of an order is 14 days", "retention = 30 days"])
def test_every_choice_ends_the_conflict_of_a_criterion_with_a_constraint(reply):
    talk = Talk(WHOLE, "retention = 30 days", "AC: The retention of an order is 14 days.")
    talk.asks = decided(talk.draft).asks
    assert len(talk.asks) == 1
    talk.say(reply)
    assert decided(talk.draft).decided == "preview"


@pytest.mark.parametrize(
    "said", ["cache = 30 days", "retention = 31 days", "retention = 30 days\nRisks: the disk may fill up"]
)
def test_a_constraint_that_is_not_just_one_side_again_settles_nothing(said):
    talk = Talk(WHOLE, "retention = 30 days", "AC: The retention of an order is 14 days.")
    talk.asks = decided(talk.draft).asks
    talk.say(said)
    assert talk.draft.settled == ()
    assert decided(talk.draft).decided == "ask"


@pytest.mark.parametrize("reply", ["A", "B", "both", "keep the first one"])
def test_every_choice_ends_the_conflict_of_two_criteria(reply):
    talk = Talk(WHOLE, "AC: Guests can download reports.", "AC: Guests cannot download reports.")
    talk.asks = decided(talk.draft).asks
    talk.say(reply)
    assert decided(talk.draft).decided == "preview"


def test_a_remark_after_the_preview_leads_back():
    talk = Talk(WHOLE)
    assert decided(talk.draft).decided == "preview"
    talk.say("Title: Import orders", by="Bob")
    assert decided(talk.draft).decided == "ask"


def test_an_approval_holds_for_what_was_shown_and_nothing_else():
    talk = Talk(WHOLE)
    approved = talk.draft.hash
    assert decided(talk.draft, approved=approved).decided == "execute"
    talk.say("Risks: the disk may fill up")
    assert decided(talk.draft, approved=approved).decided == "preview"


def test_an_approval_does_not_outweigh_a_contradiction():
    talk = Talk(WHOLE, "AC: Guests can download reports.", "AC: Guests cannot download reports.")
    assert decided(talk.draft, approved=talk.draft.hash).decided == "ask"


def test_after_two_rounds_without_an_answer_the_gaps_are_summed_up():
    draft = Talk("Title: A").draft
    assert decided(draft, unanswered=1).decided == "ask"
    found = decided(draft, unanswered=2)
    assert (found.decided, found.asks) == ("gaps", ())
    assert "nobody has said which problem it solves" in found.facts["reasons"]


def test_what_nobody_knows_is_not_asked_again():
    talk = Talk("Title: A\nAC: An order is shown.")
    talk.asks = decided(talk.draft).asks
    talk.say("I don't know", addressed=True)
    found = decided(talk.draft)
    assert (found.facts["because"], found.decided, found.asks) == ("unknown", "gaps", ())


def test_the_reason_for_asking_is_a_value():
    found = decided(Talk("Title: A\nProblem: B").draft)
    assert (found.facts["because"], found.facts["reasons"]) == (
        "missing",
        ["nothing says how to tell that it is done"],
    )
