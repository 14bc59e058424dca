"""Sayings that cannot both hold, in other words: what they claim is held against each other wherever they stand."""

import pytest

from bench.threads.pairs import PLACES, pairs
from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.ticket import AcceptedConstraint, Ask, Said
from pactkeeper.tickets.apart import in_words
from pactkeeper.tickets.sayings.clash import clash
from pactkeeper.tickets.validation.checking import validate
from pactkeeper.tickets.validation.surroundings import Surroundings
from tests.tickets.threads import Talk

WHOLE = "Title: Export orders\nProblem: Clerks copy orders.\nAC: An export holds every open order."
AT = "2026-03-01T12:00:00+00:00"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The box must work offline for a week.", "The vendor says the box requires a permanent connection."),
        ("response time: under 200 ms", "A response may take up to 1 second."),
        ("The kitchen should get 20 % of the pot.", "The kitchen gets 10 %."),
        ("Members cannot delete projects.", "Members can delete their own projects."),
        ("A report is sent every 5 minutes.", "A report is sent every hour."),
        ("Logs are kept for one year.", "Logs are deleted after 30 days."),
        ("Photos are kept forever.", "Photos are deleted after 30 days."),
        ("Passwords of 8 characters are refused.", "A password has at least 6 characters."),
        ("A file must not be larger than 5 MB.", "A file can be up to 10 MB."),
        ("The sale starts on 1 March 2026.", "The sale must not start before 2026-04-01."),
        ("The field is required.", "The field is not required."),
        ("Only admins may see the log.", "Guests may see the log as well."),
        ("Die Daten werden verschlüsselt gespeichert.", "Die Daten werden im Klartext gespeichert."),
    ],
)
def test_sayings_that_cannot_both_hold_clash_whichever_comes_first(one, other):
    assert clash(one, other)
    assert clash(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Members can delete projects.", "Members cannot delete archived projects."),
        ("A page shows at most 20 results.", "A page has at least 5 tabs."),
        ("Files larger than 10 MB are compressed.", "Files up to 5 MB are sent by mail."),
        ("Customers above 18 can order wine.", "Customers under 18 can order juice."),
        ("The report is public after the release.", "The report is private before the release."),
        ("Logs are kept for 1 month.", "Logs are deleted after 30 days."),
        ("Only admins can delete a project.", "Super admins can delete a project."),
        ("Only known rules can be asked for.", "A person can be asked for."),
        ("Shipping is free above 50 €.", "Shipping costs 4 €."),
        ("The shop opens on 1 March.", "The shop closes on 5 March."),
        ("Data must be hosted in Frankfurt.", "Data must stay in the EU."),
        ("The field is required for companies.", "The field is optional for private customers."),
        ("When the stock is low, a mail is sent automatically.", "When a customer asks, a mail is sent manually."),
        ("It must work offline.", "It requires a connection."),
        ("A file of 2 MB is accepted.", "A file of 3 MB is accepted."),
    ],
)
def test_sayings_of_other_things_or_cases_do_not_clash(one, other):
    assert not clash(one, other)
    assert not clash(other, one)


@pytest.mark.parametrize("place", [place for place in PLACES if place != "said freely"])
def test_labelled_pairs_are_flagged_where_they_deny_each_other_and_nowhere_else(place):
    flagged = {pair.name: PLACES[place](pair) for pair in pairs()}
    assert [pair.name for pair in pairs() if flagged[pair.name] and not pair.against] == []
    denied = [pair for pair in pairs() if pair.against]
    assert sum(flagged[pair.name] for pair in denied) >= 0.8 * len(denied)


def test_a_constraint_and_a_criterion_in_other_words_keep_a_draft_from_preview():
    report = validate(
        Talk(WHOLE, "Constraint: logs: kept for 90 days or more", "AC: Logs are deleted after 30 days.").draft
    )
    assert report.blocks
    assert [one.field for one in report.open_conflicts] == ["acceptance_criteria"]


def test_the_constraint_that_was_decided_against_goes():
    talk = Talk(WHOLE, "Constraint: the app must work offline", "AC: The app requires an internet connection.")
    (found,) = validate(talk.draft).open_conflicts
    talk.asks = (
        Ask("conflict", found.field, "Which?", found.fingerprint, (found.a.value, found.b.value), found.choices),
    )
    talk.say("B")
    assert talk.bounds == []
    assert "The app requires an internet connection." in talk.values("acceptance_criteria")
    assert validate(talk.draft).open_conflicts == ()


def test_two_constraints_of_other_names_are_held_against_each_other():
    talk = Talk(WHOLE, "Constraints:\n- the phone number is optional\n- a phone number is required")
    assert len(validate(talk.draft).open_conflicts) == 1


def test_what_another_thread_accepted_is_kept_in_other_words_as_well():
    said = Said("30 days", "Eve", "m7", "https://chat.example/T9/m7", "30 days")
    around = Surroundings(constraints=(AcceptedConstraint("T9", "log retention", said, "accepted", AT),))
    (found,) = validate(Talk(WHOLE, "AC: A log is kept for at least 90 days.").draft, around).open_conflicts
    assert (found.against, found.b.where, found.b.permalink) == ("thread", "T9", "https://chat.example/T9/m7")


def test_a_committed_atom_is_kept_in_other_words_as_well():
    atom = Atom("IA-1", "A deleted message can be restored.")
    pact = Pact(
        atoms={"IA-1": atom}, commitments={"COM-1": Commitment("COM-1", {"IA-1": atom.frozen_hash()}, "Ada", AT)}
    )
    report = validate(Talk(WHOLE, "Constraint: deleting a message is irreversible").draft, Surroundings(pact=pact))
    assert report.blocks
    assert [one.b.where for one in report.open_conflicts] == ["IA-1"]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("session", "15 minutes", "session: 15 minutes"),
        ("hold names", "forbidden", "must not hold names"),
        ("the app must work offline", "required", "the app must work offline"),
        ("cookies", "no", "no cookies"),
        ("data stay", "in the EU", "data stay in the EU"),
    ],
)
def test_a_constraint_can_be_said_as_a_sentence(key, value, words):
    assert in_words(key, value) == words
