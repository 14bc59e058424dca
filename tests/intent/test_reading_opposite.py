"""The opposite of a sentence, and duties as facts."""

import pytest

from pactkeeper.intent.reading.opposite import opposite, stated


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("The response status is 401.", "The response status is not 401."),
        ("A login with an expired token is refused.", "A login with an expired token is not refused."),
        ("An order ships free of charge.", "An order does not ship free of charge."),
        ("Enemies react to the player.", "Enemies do not react to the player."),
        ("Every form field has a label.", "At least one form field does not have a label."),
        ("All menus can be opened.", "Some menus cannot be opened."),
        ("No session is created.", "A session is created."),
        ("Nobody sees the draft.", "Somebody sees the draft."),
        ("Closing a file twice raises no error.", "Closing a file twice raises an error."),
        ("An employee cannot approve their own request.", "An employee can approve their own request."),
        ("A file is never overwritten.", "A file is overwritten."),
        ("The order does not exist.", "The order exists."),
        ("The token must be refused.", "The token is not refused."),
        ("When it rains, the roof closes.", "When it rains, the roof does not close."),
        ("The pump stops when the line is occluded.", "The pump does not stop when the line is occluded."),
    ],
)
def test_opposite_turns_the_statement_and_nothing_else(text, turned):
    assert opposite(text) == turned


@pytest.mark.parametrize(
    "text",
    [
        "Login page",
        "Does it work?",
        "Refactor the parser.",
        "The account is debited and the recipient is told.",
        "Only admins see the log.",
        "A class may take a name.",
        "Eine Anmeldung wird abgelehnt.",
        "A is shown. B is hidden.",
    ],
)
def test_what_a_verb_alone_cannot_turn_has_no_opposite(text):
    assert opposite(text) is None


@pytest.mark.parametrize(
    "text", ["The status is 401.", "An order ships free.", "An error is raised.", "Users can pay."]
)
def test_opposite_of_the_opposite_says_the_same_or_nothing(text):
    turned = opposite(text)
    assert turned is not None
    assert opposite(turned) in {None, text}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The token must be refused.", "The token is refused."),
        ("Users should see a hint.", "Users see a hint."),
        ("The user should see a hint", "The user sees a hint."),
        ("The pump shall not restart.", "The pump does not restart."),
        ("The list will have 3 rows.", "The list has 3 rows."),
        ("The list is empty.", "The list is empty."),
    ],
)
def test_duty_is_stated_as_a_fact(text, fact):
    assert stated(text) == fact
