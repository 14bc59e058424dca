"""What stands behind a label and says something else: duties that can be checked, and lines of a key with a value."""

import pytest

from tests.tickets.threads import Talk

HAND = "accountants copy orders by hand."
FAST = "An export of 1000 orders must finish within 5 seconds."


@pytest.mark.parametrize(
    "duty",
    [
        FAST,
        "The export must contain all open orders.",
        "It must finish within 5 seconds.",
        "Ein Export muss innerhalb von 5 Sekunden fertig sein.",
        "Un export doit finir en moins de 5 secondes.",
        "Una exportación debe terminar en menos de 5 segundos.",
    ],
)
@pytest.mark.parametrize("label", ["Problem: ", "*Problem:* ", "## Problem\n"])
def test_a_duty_behind_a_problem_that_can_be_checked_is_a_criterion(label, duty):
    talk = Talk(f"{label}{HAND} {duty}")
    assert talk.values("problem") == [HAND]
    assert talk.values("acceptance_criteria") == [duty]
    assert talk.last.unplaced == ()


@pytest.mark.parametrize(
    "more",
    [
        "They must wait at least 20 minutes.",
        "Clerks must copy each order.",
        "Customers must call us within 2 days.",
        "Users must log in again every hour.",
        "The export should be fast.",
        "Must it be within 5 seconds?",
        "We must finish within 5 days.",
        "An export takes 20 minutes.",
        "The timeout is 15 minutes.",
    ],
)
def test_what_people_suffer_and_vague_wishes_stay_in_the_problem(more):
    talk = Talk(f"Problem: {HAND} {more}")
    assert talk.values("problem") == [f"{HAND} {more}"]
    assert talk.values("acceptance_criteria") == []
    assert talk.bounds == []


def test_the_first_sentence_of_a_problem_is_the_problem():
    assert Talk(f"Problem: {FAST}").values("problem") == [FAST]


def test_a_problem_keeps_its_other_sentences_in_their_order():
    talk = Talk(f"Problem: {HAND} It is slow. {FAST} They hate it. The session timeout must be 15 minutes.")
    assert talk.values("problem") == [f"{HAND} It is slow. They hate it."]
    assert talk.values("acceptance_criteria") == [FAST]
    assert talk.bounds == [("session timeout", ["15 minutes"])]


@pytest.mark.parametrize(
    ("line", "bound"),
    [
        ("Retention: at most 30 days", ("Retention", ["at most 30 days"])),
        ("File size = 5 MB", ("File size", ["5 MB"])),
        ("Region: EU", ("Region", ["EU"])),
        ("Aufbewahrung: 30 Tage", ("Aufbewahrung", ["30 Tage"])),
        ("Retries: at most 3", ("Retries", ["at most 3"])),
    ],
)
@pytest.mark.parametrize(
    ("label", "field"), [("Problem: ", "problem"), ("AC: ", "acceptance_criteria"), ("Risk: ", "risks")]
)
def test_a_line_of_a_key_and_its_bound_is_a_constraint_below_any_label(label, field, line, bound):
    talk = Talk(f"{label}{HAND}\n{line}")
    assert talk.values(field) == [HAND]
    assert talk.bounds == [bound]


def test_a_key_with_a_bound_in_a_list_of_criteria_is_a_criterion():
    talk = Talk("AC:\n- An order is shown\n- Retention: 30 days")
    assert talk.values("acceptance_criteria") == ["An order is shown", "Retention: 30 days"]
    assert talk.bounds == []


@pytest.mark.parametrize("line", ["Note: urgent", "Effort: 3 days", "Owner: Bob", "Runs at 10:30 h", "Example: 5 MB"])
def test_a_line_that_bounds_nothing_stays_where_it_is(line):
    talk = Talk(f"Problem: {HAND}\n{line}")
    assert talk.values("problem") == [f"{HAND} {line}"]
    assert talk.bounds == []
