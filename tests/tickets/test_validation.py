from dataclasses import replace

import pytest

from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.board import Task
from pactkeeper.intent.pact import Invariant, Pact
from pactkeeper.intent.ticket import AcceptedConstraint, Draft, DraftTitle, PlacedValue
from pactkeeper.intent.ticket_patch import DraftPatch, apply
from pactkeeper.tickets.checking import Surroundings, validate
from tests.tickets.threads import Talk

WHOLE = "Title: Export orders\nProblem: Clerks copy orders.\nAC: An export holds every open order."
AT = "2026-03-01T12:00:00+00:00"


def drafted(*more):
    return Talk(WHOLE, *more).draft


def accepted(value, key="retention", thread="T9"):
    return AcceptedConstraint(
        thread, key, PlacedValue(value, "Eve", "m7", "https://chat.example/T9/m7", value), "accepted", AT
    )


def pact_of(intent, *, committed, **fields):
    atom = Atom("IA-1", intent, **fields)
    frozen = {"COM-1": Commitment("COM-1", {"IA-1": atom.frozen_hash()}, "Ada", AT)} if committed else {}
    return Pact(atoms={"IA-1": atom}, commitments=frozen)


def test_a_whole_draft_has_nothing_against_it():
    report = validate(drafted())
    assert not report.blocks
    assert (report.missing, report.conflicts) == ((), ())


def test_title_problem_and_a_criterion_are_required():
    assert [one.field for one in validate(Draft("T1")).missing] == ["title", "problem", "acceptance_criteria"]
    assert validate(Draft("T1")).blocks


def test_what_nobody_knows_is_still_missing():
    draft = apply(Draft("T1"), [DraftPatch("unknown", "problem", PlacedValue("?", "Ada", "m1", "", "?"))])
    assert [one.unknown for one in validate(draft).missing] == [False, True, False]
    assert validate(draft).blocks


@pytest.mark.parametrize("vague", ["The export should be fast", "The page must be intuitive", "It works as expected"])
def test_criteria_that_cannot_be_tested_are_none(vague):
    draft = Talk(f"Title: A\nProblem: B\nAC: {vague}").draft
    (lacking,) = validate(draft).missing
    assert "no criterion can be tested" in lacking.message


def test_one_testable_criterion_is_enough_and_the_vague_one_is_named():
    report = validate(drafted("AC: The export should be fast"))
    assert not report.blocks
    assert [(one.words, one.severity) for one in report.suggestions] == [("The export should be fast", "warning")]


@pytest.mark.parametrize("earlier", ["", "AC: A returned tool stays reserved for 48 hours for the first in line.\n"])
def test_a_criterion_about_something_that_is_not_named_is_named_and_blocks_nothing(earlier):
    report = validate(drafted(f"{earlier}AC: It stays reserved for 48 hours."))
    assert not report.blocks
    (found,) = report.suggestions
    assert (found.words, found.severity) == ("It stays reserved for 48 hours.", "warning")
    assert found.message == "is ambiguous: 'It' refers to something that is not named"


def test_what_may_join_behaviours_in_one_criterion_is_named():
    (found,) = validate(drafted("AC: The order is shown and the customer is told.")).suggestions
    assert (found.severity, found.message) == ("info", "may say several behaviours: 'and the customer is'")


def test_a_criterion_in_another_language_is_not_judged_and_counts():
    report = validate(Talk("Titel: A\nProblem: B\nKriterien: Die Bestellung ist nach dem Export noch da.").draft)
    assert not report.blocks
    assert [one.severity for one in report.suggestions] == ["info"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Guests can download reports.", "Guests cannot download reports."),
        ("A client gets status 429 after 100 requests.", "A client gets status 429 after 500 requests."),
        ("Results appear within 2 seconds.", "Results appear within 5 seconds."),
        ("The report is public.", "The report is private."),
        ("Der Bericht ist nach 2 Stunden da.", "Der Bericht ist nach 5 Stunden da."),
        ("Le client voit la commande.", "Le client ne voit pas la commande."),
        ("An upload of 50 MB is accepted.", "An upload of 50 MB is refused."),
    ],
)
def test_criteria_that_cannot_both_hold_are_flagged(ours, theirs):
    report = validate(drafted(f"AC: {ours}", f"AC: {theirs}"))
    assert report.blocks
    assert [(one.a.value, one.b.value) for one in report.conflicts] == [(ours, theirs)]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Guests can download reports.", "Guests can print reports."),
        ("A user sees 5 orders.", "An admin sees 50 orders."),
        ("The list shows open orders.", "The list shows closed invoices."),
        ("Results appear within 2 seconds.", "Results appear within 2 s."),
        ("An expired token is refused.", "A valid token is accepted."),
    ],
)
def test_criteria_that_go_together_are_left_alone(ours, theirs):
    assert validate(drafted(f"AC: {ours}", f"AC: {theirs}")).conflicts == ()


def test_two_values_of_a_field_are_one_conflict_with_both_speakers():
    talk = Talk(WHOLE).say("Title: Import orders", by="Bob")
    (found,) = validate(talk.draft).conflicts
    assert (found.a.where, found.b.where, found.a.permalink) == ("Ada", "Bob", "https://chat.example/m1")
    assert "both" not in found.choices


def test_a_criterion_that_denies_a_constraint_is_flagged():
    (found,) = validate(drafted("retention = 30 days", "AC: The retention of an order is 14 days.")).conflicts
    assert (found.a.value, found.b.value) == ("The retention of an order is 14 days.", "retention: 30 days")


def test_a_constraint_that_another_thread_accepted_is_kept():
    (found,) = validate(drafted("retention = 30 days"), Surroundings(constraints=(accepted("14 days"),))).conflicts
    assert (found.against, found.b.where, found.b.permalink) == ("thread", "T9", "https://chat.example/T9/m7")
    assert found.choices == ("keep_a", "keep_b", "both", "amend")


@pytest.mark.parametrize(("key", "value"), [("Retention", "720 h"), ("retention", "at most 60 days"), ("region", "EU")])
def test_accepted_constraints_in_other_units_or_of_other_things_are_no_conflict(key, value):
    around = Surroundings(constraints=(accepted(value, key),))
    assert validate(drafted("retention = 30 days"), around).conflicts == ()


def test_a_criterion_is_held_against_what_another_thread_accepted():
    around = Surroundings(constraints=(accepted("14 days"),))
    (found,) = validate(drafted("AC: The retention of an order is 30 days."), around).conflicts
    assert (found.against, found.b.value) == ("thread", "retention: 14 days")


def test_a_committed_atom_keeps_a_draft_from_preview():
    pact = pact_of("Guests cannot download reports.", committed=True)
    report = validate(drafted("AC: Guests can download reports."), Surroundings(pact=pact))
    assert report.blocks
    assert report.conflicts[0].b.where == "IA-1"


def test_an_outcome_of_a_committed_atom_counts_as_well():
    pact = pact_of("A late request is answered.", committed=True, outcomes=("The status is 503.",))
    (found,) = validate(drafted("AC: The status is 200."), Surroundings(pact=pact)).conflicts
    assert found.b.value == "The status is 503."


def test_an_atom_that_nobody_committed_is_named_and_blocks_nothing():
    pact = pact_of("Guests cannot download reports.", committed=False)
    report = validate(drafted("AC: Guests can download reports."), Surroundings(pact=pact))
    assert [one.severity for one in report.conflicts] == ["warning"]
    assert not report.blocks


def test_a_rule_that_the_project_declares_is_kept():
    pact = Pact(invariants={"INV-100": Invariant("INV-100", rule="Guests cannot download reports.")})
    (found,) = validate(drafted("AC: Guests can download reports."), Surroundings(pact=pact)).conflicts
    assert (found.against, found.b.where, found.severity) == ("invariant", "INV-100", "error")


def test_a_rule_that_is_switched_off_binds_nobody():
    pact = Pact(invariants={"INV-100": Invariant("INV-100", rule="Guests cannot download reports.", enabled=False)})
    assert validate(drafted("AC: Guests can download reports."), Surroundings(pact=pact)).conflicts == ()


@pytest.mark.parametrize(
    ("source", "committed", "named"), [("ticket", False, 0), ("ticket", True, 1), ("person", False, 1)]
)
def test_a_changed_criterion_is_not_held_against_its_own_proposal(source, committed, named):
    pact = pact_of("Results appear within 2 seconds.", committed=committed, source=source)
    report = validate(drafted("AC: Results appear within 3 seconds."), Surroundings(pact=pact, own=frozenset({"IA-1"})))
    assert len(report.conflicts) == named
    assert report.blocks == committed


def test_a_constraint_is_held_against_atoms():
    pact = pact_of("The session timeout is 15 minutes.", committed=True)
    (found,) = validate(drafted("session timeout = 30 minutes"), Surroundings(pact=pact)).conflicts
    assert (found.against, found.key) == ("atom", "session timeout")


def test_a_settled_conflict_blocks_no_more_until_a_side_changes():
    draft = drafted("AC: Guests can download reports.", "AC: Guests cannot download reports.")
    (found,) = validate(draft).conflicts
    word = DraftPatch("settle", found.field, PlacedValue("both", "Ada", "m9", "", "both"), key=found.fingerprint)
    settled = apply(draft, [word])
    assert not validate(settled).blocks
    assert [one.settled for one in validate(settled).conflicts] == ["both"]
    changed = DraftPatch(
        "correct", found.field, PlacedValue("Guests can download all reports.", "Ada", "m9", "", "x"), old=found.a.value
    )
    again = validate(
        apply(
            settled,
            [
                changed,
                DraftPatch(
                    "correct",
                    found.field,
                    replace(word.said, value="Guests cannot download all reports."),
                    old=found.b.value,
                ),
            ],
        )
    )
    assert again.blocks


def test_similar_tickets_and_drafts_are_shown_and_block_nothing():
    other = DraftTitle("T2", "Export of orders")
    tickets = (Task("7", "Export orders", "open", url="https://board.example/7"), Task("8", "Export orders", "done"))
    report = validate(drafted(), Surroundings(drafts=(other,), tickets=tickets))
    assert [(one.kind, one.id) for one in report.duplicates] == [("ticket", "7"), ("draft", "T2")]
    assert not report.blocks


def test_an_atom_that_says_the_same_is_shown():
    pact = pact_of("The export holds every open order.", committed=True)
    assert [one.id for one in validate(drafted(), Surroundings(pact=pact)).duplicates] == ["IA-1"]


def test_the_same_draft_gives_the_same_report():
    draft = drafted("AC: Guests can download reports.", "AC: Guests cannot download reports.", "retention = 30 days")
    around = Surroundings(constraints=(accepted("14 days"),))
    assert validate(draft, around) == validate(draft, around)


def test_a_title_has_at_most_255_characters():
    assert not validate(Talk(WHOLE.replace("Export orders", "a" * 255)).draft).blocks
    (lacking,) = validate(Talk(WHOLE.replace("Export orders", "a" * 256)).draft).missing
    assert lacking.message == "the title has 256 characters but at most 255 are allowed"
