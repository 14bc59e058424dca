"""Amounts inside of sentences that somebody puts right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.ticket import Conflict, values_of
from pactkeeper.tickets.extraction.pieces import instead
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


BANNER = "The user sees a banner 60 seconds before the end"


def authors(talk, field):
    return [(said.author, said.value) for said in values_of(talk.draft, field)]


# @atom IA-BJ6C3ZZ
@pytest.mark.parametrize(
    "said",
    [
        "The banner should be 2 minutes before, not 60 seconds",
        "2 minutes, not 60 seconds",
        "2 minutes instead of 1 minute",
        "not 60 seconds but 2 minutes",
        "make it 2 minutes",
    ],
)
def test_only_the_amount_is_replaced(said):
    assert Talk(f"AC: {BANNER}", said).values("acceptance_criteria") == [BANNER.replace("60 seconds", "2 minutes")]


# @atom IA-RZY65FW
@pytest.mark.parametrize(
    ("criterion", "said", "after"),
    [
        ("The file is sorted by name", "it should be sorted by date, not name", "The file is sorted by date"),
        ("A session ends after max 15 minutes", "at most 20, not 15", "A session ends after at most 20 minutes"),
        ("A session ends after 15 minutes", "at most 20 minutes, not 15", "A session ends after at most 20 minutes"),
        ("A basket costs €10", "at most 20, not 10", "A basket costs €10"),
        ("The button is red", "the colour is green, not red", "The button is green"),
    ],
)
def test_only_what_is_denied_is_replaced(criterion, said, after):
    assert Talk(f"AC: {criterion}", said).values("acceptance_criteria") == [after]


# @atom IA-S2132C5
@pytest.mark.parametrize(
    ("criterion", "said"),
    [
        ("A banner shows 60 seconds before and 60 seconds after", "The banner should be 2 minutes before, not 60 seconds"),
        (BANNER, "it should be 2 minutes or 3 minutes, not 60 seconds"),
        (BANNER, "a small red banner which blinks, not a banner"),
    ],
)  # fmt: skip
def test_what_cannot_be_placed_exactly_is_left_over(criterion, said):
    talk = Talk(f"AC: {criterion}", said)
    assert talk.values("acceptance_criteria") == [criterion]
    assert [one.text for one in talk.last.unplaced] == [said]


# @atom IA-ZKYV79X
def test_words_that_belong_to_a_verb_replace_nothing():
    talk = Talk(f"AC: {BANNER}", "The banner should be shown to admins, not the user")
    assert talk.values("acceptance_criteria")[0] == BANNER


PIECES = ("60 seconds", "1 minute", "14 days", "30 days", "€20", "5 %", "7", "green", "the end", "before")
AROUND = st.lists(st.sampled_from((*PIECES, "a banner", "is", "shown")), max_size=4).map(" ".join)
SAID = st.sampled_from(("{}", "it should be {}", "at most {}", "{} before", "the banner is {} before the end"))


def is_one_piece_apart(value, found, new):
    """Whether one stretch of a value was taken out, and words that somebody said put in its place."""
    cuts = [(value[:start], value[end:]) for start in range(len(value)) for end in range(start, len(value) + 1)]
    return any(
        found.startswith(left) and found.endswith(rest) and found[len(left) : len(found) - len(rest)] in new
        for left, rest in cuts
        if len(left) + len(rest) <= len(found)
    )


# @atom IA-M1ZEFPE
@given(before=AROUND, old=st.sampled_from(PIECES), after=AROUND, said=SAID, new=st.sampled_from(PIECES))
def test_a_correction_changes_one_contiguous_piece_or_nothing(before, old, after, said, new):
    value = f"{before} {old} {after}".strip()
    found = instead(value, old, said.format(new))
    assert not found or is_one_piece_apart(value, found, said.format(new))
    assert not found or value.count(old) - found.count(old) <= 1


# @atom IA-V7M5RK5
@pytest.mark.parametrize(
    "said", ["Make it 30 minutes.", "actually 30 minutes", "not 15 but 30 minutes", "30 minutes, not 15"]
)
def test_a_statement_against_a_criterion_of_another_is_held_beside_it(said):
    talk = Talk("AC: a session ends after 15 minutes").say(said, by="Bob")
    assert authors(talk, "acceptance_criteria") == [
        ("Ada", "a session ends after 15 minutes"),
        ("Bob", "a session ends after 30 minutes"),
    ]


# @atom IA-PSSZE21
@pytest.mark.parametrize(
    "said",
    ["actually it's 10 days, not 14", "make it 10 days", "10 days instead of 14", "the retention is actually 10 days"],
)
def test_a_statement_against_a_bound_of_another_makes_a_conflict(said):
    talk = Talk("retention: 14 days").say(said, by="Bob")
    assert authors(talk, "constraints") == [("Ada", "14 days"), ("Bob", "10 days")]
    assert isinstance(talk.draft.constraints[0].value, Conflict)


# @atom IA-ARA4DHQ
def test_a_statement_against_a_title_of_another_makes_a_conflict():
    talk = Talk("Title: Export").say("the title should be Import", by="Bob")
    assert authors(talk, "title") == [("Ada", "Export"), ("Bob", "Import")]


# @atom IA-XJBBE3X
@pytest.mark.parametrize(
    "said",
    ["sorry, I meant 21 days", "21 days, not 14", "21 days, not 30", "no. 21 days", "the retention should be 21 days"],
)
def test_in_a_conflict_a_person_changes_their_own_side(said):
    talk = Talk("retention: 14 days").say("retention: 30 days", by="Bob").say(said, by="Bob")
    assert authors(talk, "constraints") == [("Ada", "14 days"), ("Bob", "21 days")]


# @atom IA-EHMPVCA
def test_among_criteria_that_differ_in_an_amount_a_person_changes_their_own():
    talk = Talk("AC: a session ends after 15 minutes").say("make it 30 minutes", by="Bob")
    assert authors(talk.say("sorry, I meant 21 minutes", by="Bob"), "acceptance_criteria") == [
        ("Ada", "a session ends after 15 minutes"),
        ("Bob", "a session ends after 21 minutes"),
    ]


# @atom IA-YA13E0Q
def test_who_gives_way_ends_the_conflict():
    talk = Talk("retention: 14 days").say("retention: 30 days", by="Bob").say("14 days, not 30", by="Bob")
    assert authors(talk, "constraints") == [("Ada", "14 days")]


# @atom IA-M9WGZQR
def test_a_third_person_adds_a_side():
    talk = Talk("retention: 14 days").say("retention: 30 days", by="Bob").say("make it 21 days", by="Cal")
    assert authors(talk, "constraints") == [("Ada", "14 days"), ("Bob", "30 days"), ("Cal", "21 days")]


# @atom IA-YZYV8EX
@pytest.mark.parametrize(
    "said", ["replace 14 days by 21 days", "change 14 days to 21 days", "change the retention to 21 days"]
)
def test_an_edit_that_names_what_it_changes_is_carried_out_for_everybody(said):
    talk = Talk("retention: 14 days").say(said, by="Bob")
    assert authors(talk, "constraints") == [("Bob", "21 days")]


# @atom IA-JCNMJ4Q
def test_an_edit_of_one_side_leaves_the_other():
    talk = Talk("retention: 14 days").say("retention: 30 days", by="Bob").say("replace 14 days by 21 days", by="Cal")
    assert authors(talk, "constraints") == [("Bob", "30 days"), ("Cal", "21 days")]
