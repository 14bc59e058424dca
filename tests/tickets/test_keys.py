"""Bounds of one thing under keys in other words: they are held against each other, and those of other things are not."""

import pytest

from pactkeeper.intent.ticket import AcceptedConstraint, Said, sides_of
from pactkeeper.tickets.sayings.keys import about_of, sided
from pactkeeper.tickets.sayings.speakers import unspoken
from pactkeeper.tickets.validation.checking import validate
from pactkeeper.tickets.validation.surroundings import Surroundings
from tests.tickets.threads import Talk

WHOLE = "Title: Export orders\nProblem: Clerks copy orders.\nAC: An export holds every open order."
AT = "2026-03-01T12:00:00+00:00"


def flagged(one, other):
    report = validate(Talk(WHOLE).say(one, "Ben").say(other, "Cleo").draft)
    return report.open_conflicts != () and report.blocks


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("security wants session timeout: 15 minutes", "Session timeout: 60 minutes"),
        ("Session timeout: 15 min", "Timeout of sessions: 0.5 h"),
        ("Legal asked for retention: at most 30 days", "Retention period: at least 90 days"),
        ("Constraint: max upload size: 10 MB", "Upload size: max 25 MB"),
        ("Constraint: retries: no more than 3", "Constraint: number of retries: at least 5"),
        ("Aufbewahrungsfrist: 30 Tage", "Die Aufbewahrungsfrist beträgt 90 Tage."),
        ("Délai de réponse: 2 secondes", "délai de réponse : au plus 500 ms"),
        ("The session timeout must be 15 minutes.", "Ops says the timeout for a session is 1 hour."),
        ("Response time: 200-300 ms", "Response time: at least 1 s"),
        ("Constraint: budget: 5000 €", "Constraint: the budget: at least 8000 €"),
        ("Retention: between 30 and 60 days", "Retention: at least 90 days"),
        ("Our DPO insists on data retention: 30 days", "Data retention: 1 year"),
        ("Speicherdauer: höchstens 30 Tage", "Maximale Speicherdauer: 60 Tage"),
        ("Durée de la session : 15 minutes", "durée des sessions : 1 heure"),
        ("Constraint: page size: 50 rows", "Constraint: size of a page: 100 rows"),
        ("Password length: at least 12", "Minimum password length: 8"),
        ("Constraint: file size limit: 5 MB", "Constraint: limit for file sizes: 20 MB"),
        ("Marketing wants the deadline: 1 May", "Deadline: 15 June"),
        ("Constraints:\n- data region: EU", "Constraints:\n- region of data: US"),
        ("Constraint: uptime: 99.9 %", "Constraint: uptime: no less than 99.99 %"),
        ("Constraint: Sitzungsdauer: 15 Minuten", "Constraint: Dauer der Sitzung: 60 Minuten"),
        ("Constraint: max upload size: 10 MB", "AC: The upload size must be up to 25 MB"),
        ("Constraint: Sitzungs-Timeout: 15 Minuten", "session timeout: 60 minutes"),
        ("Constraint: taille du fichier : 5 Mo", "Constraint: file size: 20 MB"),
        ("We need a response time of 200 ms at most", "According to ops, response time: at least 1 s"),
    ],
)
def test_bounds_of_one_thing_that_cannot_both_hold_keep_a_draft_from_preview(one, other):
    assert flagged(one, other)
    assert flagged(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retention: between 30 and 60 days", "Retention: 45 days"),
        ("Constraint: requests per minute: 100", "Constraint: max claims per minute: 5"),
        ("Session timeout: 15 minutes", "Password timeout: 60 minutes"),
        ("security wants session timeout: 15 minutes", "Session timeout: 0.25 h"),
        ("Constraint: upload size: max 10 MB", "Constraint: upload size: min 1 KB"),
        ("Constraint: log retention: 30 days", "Constraint: invoice retention: 10 years"),
        ("Constraint: retries: no more than 5", "Constraint: number of retries: at least 3"),
        ("Constraint: minimum password length: 8", "Constraint: maximum password length: 64"),
        ("Constraint: session timeout: 15 minutes", "Constraint: session warning: 2 minutes"),
        ("Aufbewahrungsfrist: 30 Tage", "Löschfrist für Rechnungen: 10 Jahre"),
        ("Délai de réponse: 2 secondes", "Délai de livraison: 5 jours"),
        ("Constraint: session timeout for admins: 15 minutes", "Constraint: session timeout for guests: 60 minutes"),
        ("Constraint: file size: 5 MB", "Constraint: total file size: 50 MB"),
        ("Constraint: timeout: 30 seconds", "Constraint: session timeout: 15 minutes"),
        ("Constraint: max upload size: 10 MB", "Constraint: max download size: 25 MB"),
        ("Constraint: region: EU", "Constraint: time zone: UTC"),
        ("Durée de la session : 15 minutes", "durée des sessions : 900 s"),
        ("Constraint: retries: 3", "Constraint: retry delay: 5 seconds"),
        ("Constraint: daily quota: 100", "Constraint: monthly quota: 1000"),
        ("Constraint: session timeout on mobile: 5 minutes", "Constraint: session timeout: 15 minutes"),
        ("Constraint: response time of the search: 200 ms", "Constraint: response time of the export: 20 s"),
        ("Constraint: uptime: 99.9 %", "Constraint: uptime: no less than 99 %"),
        ("Constraint: read timeout: 5 s", "Constraint: write timeout: 30 s"),
        ("Constraint: price before tax: 10 €", "Constraint: price after tax: 12 €"),
        ("Constraint: retention period: 30 days", "AC: The retention report must list 5 orders."),
        ("Constraint: max upload size: 10 MB", "AC: An upload of size 5 MB must be shown at once."),
        ("Constraint: max orders: 100", "AC: An export of 1000 rows must hold all orders."),
        ("Constraint: min order value: 20 €", "Constraint: orders: 5"),
        ("Constraint: session timeout: 15 minutes", "Constraint: session timeout warning: 2 minutes"),
        ("Constraint: idle timeout of a session: 15 minutes", "Constraint: session lifetime: 8 hours"),
    ],
)
def test_bounds_of_other_things_or_that_go_together_are_no_conflict(one, other):
    assert not flagged(one, other)
    assert not flagged(other, one)


@pytest.mark.parametrize("key", ["timeout of sessions", "security wants session timeout", "Sitzungs-Timeout"])
def test_a_key_in_other_words_is_held_against_what_another_thread_accepted(key):
    said = Said("15 minutes", "Eve", "m7", "", "15 minutes")
    around = Surroundings(constraints=(AcceptedConstraint("T9", key, said, "accepted", AT),))
    (found,) = validate(Talk(WHOLE, "Session timeout: 60 minutes").draft, around).open_conflicts
    assert (found.against, found.b.where) == ("thread", "T9")


def test_who_wants_a_bound_is_no_part_of_its_key():
    talk = Talk("security wants session timeout: 15 minutes")
    assert talk.bounds == [("session timeout", ["15 minutes"])]
    assert sides_of(talk.draft.constraints[0].value)[0].quote == "security wants session timeout: 15 minutes"


@pytest.mark.parametrize(
    "text",
    ["insurance claims per day: 5", "requests per minute: 100", "the page will size: 3", "wants: 5", "timeout: 5 s"],
)
def test_a_thing_is_no_speaker(text):
    assert unspoken(text) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Session timeout", "timeout of the sessions"),
        ("max upload size", "Upload size limit"),
        ("Sitzungsdauer", "Dauer der Sitzung"),
        ("Aufbewahrungsfrist", "retention period"),
        ("Höchstlänge des Passworts", "password length"),
    ],
)
def test_two_names_of_one_thing_are_about_the_same(one, other):
    assert about_of(one) == about_of(other)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("max upload size", "10 MB", "max 10 MB"),
        ("Mindestlänge", "8 Zeichen", "min 8 Zeichen"),
        ("max upload size", "at most 10 MB", "at most 10 MB"),
        ("upload size", "10 MB", "10 MB"),
        ("max size", "large", "large"),
    ],
)
def test_a_key_says_which_side_its_value_bounds(key, value, told):
    assert sided(key, value) == told


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("Retention: between 30 and 60 days", ["at least 30 days", "at most 60 days"]),
        ("Response time: 200-300 ms", ["at least 200 ms", "at most 300 ms"]),
        ("The retention must be 30 to 60 days.", ["at least 30 days", "at most 60 days"]),
        ("Constraint: Aufbewahrung: zwischen 30 und 60 Tagen", ["at least 30 Tagen", "at most 60 Tagen"]),
    ],
)
def test_a_range_is_a_least_and_a_most(text, bounds):
    assert [value for _, values in Talk(text).bounds for value in values] == bounds


@pytest.mark.parametrize("value", ["9-17 h", "60-30 days", "2026-03", "30 days and more"])
def test_what_is_no_range_stays_whole(value):
    assert Talk(f"Constraint: opening: {value}").bounds == [("opening", [value])]
