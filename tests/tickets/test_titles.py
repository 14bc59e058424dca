import pytest

from tests.tickets.threads import Talk


@pytest.mark.parametrize(
    ("rest", "field", "value"),
    [
        ("We need it because accounting types it off by hand.", "problem", "Accounting types it off by hand."),
        ("Clerks must see every order.", "acceptance_criteria", "Clerks must see every order."),
        ("The risk is that files grow.", "risks", "Files grow"),
        ("Wir brauchen das, weil die Kasse alles abtippt.", "problem", "Die Kasse alles abtippt."),
    ],
)
@pytest.mark.parametrize("label", ["Title: ", "*Title:* ", "Title:\n"])
def test_a_title_ends_where_a_sentence_that_says_more_begins(label, rest, field, value):
    talk = Talk(f"{label}Export the basket as CSV. {rest}")
    assert talk.values("title") == ["Export the basket as CSV"]
    assert talk.values(field) == [value]
    assert talk.last.unplaced == ()


def test_every_sentence_behind_a_title_has_its_own_place():
    talk = Talk("Title: Basket export. It must hold every order. The risk is that files grow.")
    assert talk.values("acceptance_criteria") == ["It must hold every order."]
    assert talk.values("risks") == ["Files grow"]


@pytest.mark.parametrize(
    "title",
    [
        "Export orders. Add CSV and PDF",
        "Basket export. It must hold every order. Blue.",
        "Basket export. We need it for accounting.",
        "Call Dr. Who must be reachable",
        "Orders. They must be exported",
        "What is new? What must we say?",
        "Export orders, which must be complete",
    ],
)
def test_a_title_keeps_what_would_be_nowhere_else(title):
    assert Talk(f"Title: {title}").values("title") == [title]


def test_a_reason_that_a_problem_has_taken_the_place_of_stays_in_the_title():
    talk = Talk("Problem: They type it off.", "Title: Basket export. We need it because accounting asks.")
    assert talk.values("problem") == ["They type it off."]
    assert talk.values("title") == ["Basket export. We need it because accounting asks."]


@pytest.mark.parametrize("between", [" ", "\n"])
def test_a_labelled_problem_takes_the_place_of_the_reason_of_a_wish(between):
    said = ("Title: Basket export.", "We need it because accounting asks.", "Problem: They type it off.")
    assert Talk(between.join(said)).values("problem") == ["They type it off."]
