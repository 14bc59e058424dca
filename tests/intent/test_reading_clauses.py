"""What the predicate of a sentence is, and what stands around it."""

import pytest

from pactkeeper.intent.reading.clauses import read


def parts(text):
    (reading,) = read(text)
    said = [word.token.text for word in reading.words]
    main = reading.predicate
    assert main is not None
    return (
        " ".join(said[: reading.lead]),
        " ".join(said[reading.lead : main.start]),
        " ".join(said[main.start : main.end]),
    )


@pytest.mark.parametrize(
    ("text", "subject", "predicate"),
    [
        ("An order above 50 euros ships free of charge.", "An order above 50 euros", "ships"),
        ("Search results appear quickly.", "Search results", "appear"),
        ("A voucher that has expired is refused.", "A voucher that has expired", "is refused"),
        ("A file that somebody changed is never overwritten.", "A file that somebody changed", "is never overwritten"),
        ("What the patch shows is refused.", "What the patch shows", "is refused"),
        ("Records of customers who opted out are missing.", "Records of customers who opted out", "are missing"),
        (
            "Leave requests for Christmas and New Year are accepted.",
            "Leave requests for Christmas and New Year",
            "are accepted",
        ),
        ("A statement lists profit and loss.", "A statement", "lists"),
        ("The tutor grades the essay.", "The tutor", "grades"),
        ("The blinds close when the wind exceeds 60 km/h.", "The blinds", "close"),
        ("Removing the last item shows a hint.", "Removing the last item", "shows"),
        ("`parse()` raises ValueError.", "`parse()`", "raises"),
        ("found returns a list.", "found", "returns"),
        ("The deleted message stays hidden.", "The deleted message", "stays"),
    ],
)
def test_predicate_is_found_behind_what_looks_like_one(text, subject, predicate):
    assert parts(text) == ("", subject, predicate)


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("When a product is out of stock, the button is disabled.", "When a product is out of stock ,"),
        ("After three wrong PINs the card is locked.", "After three wrong PINs"),
        ("If the cart is empty and the user logs in, a hint is shown.", "If the cart is empty and the user logs in ,"),
        ("On failure, the job ends.", "On failure ,"),
        ("As a librarian, I see overdue books.", "As a librarian ,"),
        ("z.array: rejects an empty list.", "z.array :"),
    ],
)
def test_opening_condition_is_no_part_of_the_statement(text, lead):
    assert parts(text)[0] == lead


def test_closing_condition_is_known():
    (reading,) = read("The pump stops when the line is occluded.")
    assert reading.words[reading.tail].lower == "when"


@pytest.mark.parametrize(
    "text", ["Login page", "Error handling", "Password reset", "TBD", "Tests in the sources of vitest."]
)
def test_title_has_no_predicate(text):
    assert all(one.predicate is None for one in read(text))


@pytest.mark.parametrize("text", ["Refactor the order module.", "Write unit tests for the parser."])
def test_bare_verb_at_the_start_is_a_command(text):
    assert read(text)[0].commands


def test_question_asks():
    assert read("Does the user see the total?")[0].asks
