import pytest

from pactkeeper.speech.clash import compare

CLASHES = [
    ("The export finishes within two minutes.", "The export takes at least 5 minutes."),
    ("A password has at least twelve characters.", "A password has at least 8 characters."),
    ("Sitzungen enden nach fünfzehn Minuten", "Sitzungen enden nach 30 Minuten"),
    ("Launch on 3 May", "Launch on 10 May"),
    ("The release is due in March", "The release is due on 12 April"),
    ("The launch must happen before 1 March.", "The launch must not happen before 15 March."),
    ("Users can delete their account", "Users can't delete their account"),
    ("Gäste dürfen Berichte herunterladen", "Gäste dürfen keine Berichte herunterladen"),
    ("Les invités peuvent commenter", "Les invités ne peuvent pas commenter"),
    ("Los invitados pueden comentar", "Los invitados no pueden comentar"),
    ("Uploads up to 10 MB are accepted", "Uploads over 5 MB are rejected"),
    ("The title is required", "The title is optional"),
    ("Backups run daily", "Backups run weekly"),
    ("Only admins can delete a project", "Members can delete a project"),
    ("retention: 30 days", "The retention of an order is 14 days."),
    ("The API returns 401 for expired tokens", "The API returns 403 for expired tokens"),
]
AGREES = [
    ("A trial lasts 14 days", "A trial lasts two weeks"),
    ("A file may be 5 MB", "A file may be 5,000 KB"),
    ("The release is due on 2026-05-03", "The release is due on May 3rd"),
    ("Emails are sent immediately", "E-mails are sent immediately"),
]
APART = [
    ("The export finishes within two minutes.", "The import finishes within 5 minutes."),
    ("Users can delete their account", "Users cannot delete their project"),
    ("The API returns 401 for expired tokens", "The API returns 403 for missing tokens"),
    ("The report lists open orders", "The report lists closed orders"),
    ("Version 2 supports export", "Version 3 supports export"),
    ("Uploads up to 5 MB are accepted", "Uploads over 10 MB are rejected"),
    ("Shipping is free for orders above 50 €.", "Orders below 50 € pay for shipping."),
]


@pytest.mark.parametrize(("one", "other"), CLASHES)
def test_statements_that_cannot_both_hold_clash(one, other):
    assert compare(one, other).verdict == compare(other, one).verdict == "clash"


@pytest.mark.parametrize(("one", "other"), AGREES)
def test_statements_that_say_the_same_agree(one, other):
    assert compare(one, other).verdict == compare(other, one).verdict == "agree"


@pytest.mark.parametrize(("one", "other"), APART)
def test_statements_about_different_things_do_not_clash(one, other):
    assert compare(one, other).verdict != "clash"


def test_a_narrower_case_is_left_to_people():
    found = compare("Sessions expire after 15 minutes", "Admin sessions expire after 30 minutes")
    assert (found.verdict, found.ours, found.theirs) == ("unsure", "15 minutes", "30 minutes")


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("A coupon works without a login.", "No coupon works without a login.", "unsure"),
        ("A lamp works without a bulb.", "No lamp works with a bulb.", "unrelated"),
        ("Children under 14 pay no late fees.", "Children pay no late fees", "unrelated"),
        ("An object is sealed (a key).", "An object is sealed (a key in an object).", "unrelated"),
        ("The deposit for a lent bike is 50 euros.", "Deposit: 60 euros.", "unsure"),
        ("The deposit for a lent bike is 50 euros.", "The deposit of 60 euros is shown when one is lent.", "unsure"),
        ("The deposit for a lent bike is 50 euros.", "A deposit of at least 60 euros is asked for bells.", "unsure"),
        ("The deposit for a lent bike is 50 euros.", "The deposit for a helmet is 60 euros.", "unrelated"),
        ("The deposit for a lent bike is 50 euros.", "The deposit is 50 euros.", "unrelated"),
        ("The deposit for a lent bike is 50 euros.", "The deposit is shown for 60 days.", "unrelated"),
        ("A user can reserve a bike for at most 7 days.", "A user is reminded 9 days after the mail.", "unrelated"),
        ("Children under 14 pay no late fees.", "Children pay late fees", "unsure"),
        ("The old portal closes at the end of March.", "The old portal closes on 30 March 2027.", "unrelated"),
        ("The sale stops in early April.", "The sale stops at the end of April.", "unrelated"),
        ("The sale stops at the end of April.", "The sale stops at the end of April 2027.", "agree"),
    ],
)
def test_only_what_negates_and_dates_alike_is_the_same_sentence(one, other, verdict):
    assert compare(one, other).verdict == compare(other, one).verdict == verdict


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The health page answers within 1 second.", "The health page of a shop answers within 3 seconds."),
        ("The shipping fee is 5 euros.", "The shipping fee is 5 dollars."),
    ],
)
def test_values_of_what_may_be_two_things_are_left_to_people(one, other):
    assert compare(one, other).verdict == compare(other, one).verdict == "unsure"


LATE = "Cancelling a booking less than 24 hours before its start costs 50 percent."
ON_TIME = "Cancelling a booking 24 hours before its start costs 20 percent."


def test_cases_that_exclude_each_other_are_no_clash():
    assert compare(LATE, ON_TIME).verdict == "unrelated"
    assert compare(LATE, ON_TIME.replace("24 hours", "at least 24 hours")).verdict == "unrelated"


def test_a_clash_in_one_case_shows_the_values_that_differ():
    within = compare(LATE.replace("less than", "at most"), ON_TIME)
    assert (within.verdict, within.ours, within.theirs) == ("clash", "50 percent", "20 percent")


def test_values_that_differ_in_their_bounds_alone_are_shown_with_their_sentences():
    found = compare("An export ends within 24 hours.", "An export ends after more than 24 hours.")
    assert (found.verdict, found.ours) == ("clash", "An export ends within 24 hours.")
