"""One behaviour or several, and how several are taken apart."""

import pytest

from bench.quality import SETS, labelled
from pactkeeper.intent.atomicity import atomicity


def parts(text):
    return atomicity(text, ()).parts


@pytest.mark.parametrize(
    "text",
    [
        "Search and replace keeps the case of a word.",
        "A customer who accepts the terms and conditions can place an order.",
        "Users have read and write access.",
        "Members can drag and drop a file.",
        "Members can read and write a file.",
        "A statement lists profit and loss.",
        "The title and the author are shown.",
        "The pump delivers insulin as well as glucagon.",
        "A user can log in with e-mail or phone number.",
        "When the cart is empty and the user opens the checkout, a hint is shown.",
        "The client retries three times before it gives up and reports an error.",
        "Users who are logged in and have a subscription can download the file.",
        'Pressing "Save and close" saves the document.',
        "The button is visible and enabled.",
        "Keep drops all but the newest.",
        "Setting up twice is refused and changes nothing.",
        "Deleting a folder deletes its files and subfolders.",
    ],
)
def test_one_behaviour_is_left_whole(text):
    found = atomicity(text, ())
    assert (found.atomic, found.reasons, found.parts) == (True, (), (text,))


@pytest.mark.parametrize(
    ("text", "split"),
    [
        (
            "users can save their work and get a confirmation quickly",
            ("Users can save their work.", "Users can get a confirmation quickly."),
        ),
        ("The password is encrypted and stored.", ("The password is encrypted.", "The password is stored.")),
        (
            "When the battery is low, the screen dims and an alarm sounds.",
            ("When the battery is low, the screen dims.", "When the battery is low, an alarm sounds."),
        ),
        (
            "Students can create, edit and delete notes.",
            ("Students can create notes.", "Students can edit notes.", "Students can delete notes."),
        ),
        (
            "The system validates the address, prints the label and notifies the courier.",
            ("The system validates the address.", "The system prints the label.", "The system notifies the courier."),
        ),
        (
            "Unused imports are removed; unused variables are reported.",
            ("Unused imports are removed.", "Unused variables are reported."),
        ),
        (
            "If the window is open, the heating turns off; otherwise it follows the schedule.",
            (
                "If the window is open, the heating turns off.",
                "If the window is not open, the heating follows the schedule.",
            ),
        ),
        (
            "A dragon drops gold, as well as unlocking the next level.",
            ("A dragon drops gold.", "A dragon unlocks the next level."),
        ),
        ("The job archives the file, then sends a report.", ("The job archives the file.", "The job sends a report.")),
        ("Invalid rows are logged or dropped.", ("Invalid rows are logged.", "Invalid rows are dropped.")),
        (
            "Guests can read channels but cannot post in them.",
            ("Guests can read channels.", "Guests cannot post in them."),
        ),
        ("The order is paid. An invoice is sent.", ("The order is paid.", "An invoice is sent.")),
    ],
)
def test_each_part_is_a_sentence_of_its_own(text, split):
    assert parts(text) == split


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("The order is paid and shipped.", "'and' joins two verbs: 'is paid' and 'shipped'"),
        ("The tutor grades and the student waits.", "'and' joins a second statement with a subject of its own"),
        ("A row is logged or dropped.", "leaves open which of two verbs holds"),
    ],
)
def test_reason_cites_the_words(text, cited):
    assert cited in atomicity(text, ()).reasons[0]


def test_outcomes_under_different_conditions_are_several_scenarios():
    found = atomicity(
        "The door follows the badge.", ("When the badge is valid, it opens.", "When the badge is old, it stays shut.")
    )
    assert not found.atomic
    assert "'When the badge is valid'" in found.reasons[0]


def test_sentence_that_strings_its_outcomes_together_is_one():
    outcomes = ("get_base_url returns 'a' for x.", "get_base_url returns 'b' for y.")
    assert atomicity("get_base_url returns 'a' for x and get_base_url returns 'b' for y.", outcomes).atomic


@pytest.mark.parametrize("name", SETS)
def test_no_part_of_a_labelled_sentence_joins_anything_more(name):
    for one in labelled(name):
        for part in atomicity(one.words.intent, ()).parts[1:]:
            assert atomicity(part, ()).atomic, part
