"""User stories, and what stands before a statement."""

import pytest

from pactkeeper.authoring.taking import is_story, without_ensure


@pytest.mark.parametrize(
    ("text", "story"),
    [
        ("As a customer, I want to save my basket so that I can order later.", True),
        ("as an admin I can delete users", True),
        ("As the owner, I would like to export the list in order to print it", True),
        ("As a user, I want the app to check links.", True),
        ("As a guest,\nI want to read\nthe menu.", True),
        ("As an admin, I want better reports.", False),
        ("As discussed, I want to go.", False),
        ("The list is empty.", False),
        ("", False),
    ],
)
def test_a_story_names_a_role_and_an_act(text, story):
    assert is_story(text) is story


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Ensure that the list is empty.", "the list is empty."),
        ("Make sure that a mail is sent", "a mail is sent"),
        ("Verify the total is 10.", "Verify the total is 10."),
        ("Check the logs.", "Check the logs."),
        ("The list is empty.", "The list is empty."),
    ],
)
def test_what_introduces_a_statement_is_left_out_where_it_says_that(text, bare):
    assert without_ensure(text) == bare
