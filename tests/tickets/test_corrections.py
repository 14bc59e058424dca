"""Amounts inside of sentences that somebody puts right."""

import pytest

from tests.tickets.threads import Talk


@pytest.mark.parametrize(
    ("criterion", "said", "after"),
    [
        ("An export of 1000 orders has 1000 rows", "actually it's 2000 rows, not 1000", "An export of 1000 orders has 2000 rows"),
        ("A refund takes 14 days", "it's 30 days, not 14", "A refund takes 30 days"),
        ("A refund takes 14 days", "not 14 but 30 days", "A refund takes 30 days"),
        ("A basket costs €10", "it's €20, not 10", "A basket costs €20"),
        ("A basket of 5 costs 10 euros", "20, not 10", "A basket of 5 costs 20 euros"),
    ],
)  # fmt: skip
def test_number_is_replaced_with_its_unit_and_where_that_unit_stands(criterion, said, after):
    assert Talk(f"AC: {criterion}", said).values("acceptance_criteria") == [after]


REMINDER = "Eine Erinnerung wird 7 Tage vorher verschickt"


@pytest.mark.parametrize(
    "said",
    [
        "warte, 14 Tage vorher, nicht 7",
        "nicht 7, sondern 14 Tage",
        "doch nicht 7, sondern 14 Tage",
        "14 statt 7 Tage",
        "statt 7 Tagen lieber 14 Tage",
        "doch lieber 14 Tage",
        "Moment, 14 Tage statt 7 Tagen",
        "14 Tage, doch nicht 7",
    ],
)
@pytest.mark.parametrize("label", ["AC", "Aufbewahrung"])
def test_an_amount_is_put_right_in_german(label, said):
    talk = Talk(f"AC: {REMINDER}" if label == "AC" else "Aufbewahrung: 7 Tage", said)
    assert talk.last.unplaced == ()
    if label == "AC":
        assert talk.values("acceptance_criteria") == [REMINDER.replace("7", "14")]
    else:
        assert talk.bounds == [("Aufbewahrung", ["14 Tage"])]


@pytest.mark.parametrize(
    ("criterion", "said", "after"),
    [
        ("Un rappel part 7 jours avant", "attends, 14 jours avant, pas 7", "Un rappel part 14 jours avant"),
        ("Un rappel part 7 jours avant", "plutôt 14 jours au lieu de 7", "Un rappel part 14 jours avant"),
        ("Se envía un aviso 7 días antes", "espera, 14 días antes, no 7", "Se envía un aviso 14 días antes"),
        ("Se envía un aviso 7 días antes", "en vez de 7 días, 14 días", "Se envía un aviso 14 días antes"),
        ("One is sent 7 days before", "wait, 14 days before, not 7", "One is sent 14 days before"),
        ("Der Export liefert PDF", "nicht PDF, sondern CSV", "Der Export liefert CSV"),
    ],
)
def test_words_after_an_amount_are_not_said_twice(criterion, said, after):
    assert Talk(f"AC: {criterion}", said).values("acceptance_criteria") == [after]


def test_a_constraint_that_is_more_than_an_amount_is_put_right():
    talk = Talk("Constraint: Erinnerung: 7 Tage vorher", "warte, 14 Tage vorher, nicht 7")
    assert talk.bounds == [("Erinnerung", ["14 Tage vorher"])]


@pytest.mark.parametrize("said", ["das zweite Kriterium doch nicht", "PDF brauchen wir doch nicht", "PDF entfällt"])
def test_what_is_not_wanted_after_all_goes(said):
    assert Talk("AC:\n- Eins wird gezeigt\n- Ein PDF wird erzeugt", said).values("acceptance_criteria") == [
        "Eins wird gezeigt"
    ]


@pytest.mark.parametrize("label", ["Rahmen", "Cadre", "Marco"])
def test_a_frame_is_made_of_constraints(label):
    assert Talk(f"{label}: Budget: 5000 €").bounds == [("Budget", ["5000 €"])]


@pytest.mark.parametrize("said", ["nein, 14 Tage", "warte", "14 Stunden, nicht 9", "doch nicht 7"])
def test_what_puts_nothing_right_changes_nothing(said):
    assert Talk(f"AC: {REMINDER}", said).values("acceptance_criteria") == [REMINDER]
