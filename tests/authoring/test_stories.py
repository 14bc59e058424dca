"""User stories, and what stands before a statement."""

import pytest

from pactkeeper.authoring.stories import story, without_ensure


@pytest.mark.parametrize(
    ("text", "intent", "why"),
    [
        (
            "As a customer, I want to save my basket so that I can order later.",
            "A customer can save their basket.",
            "I can order later",
        ),
        ("as an admin I can delete users", "An admin can delete users.", ""),
        (
            "As the owner, I would like to export the list in order to print it",
            "The owner can export the list.",
            "print it",
        ),
        ("As a user, I want the app to check links.", "The app checks links.", ""),
        ("As a guest,\nI want to read\nthe menu.", "A guest can read the menu.", ""),
    ],
)
def test_story_is_said_as_a_statement(text, intent, why):
    found = story(text)
    assert found is not None
    assert (found.intent, found.why) == (intent, why)


@pytest.mark.parametrize(
    "text", ["As an admin, I want better reports.", "As discussed, I want to go.", "The list is empty.", ""]
)
def test_wish_without_an_act_is_no_story(text):
    assert story(text) is None


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Ensure that the list is empty.", "the list is empty."),
        ("Verify the total is 10.", "the total is 10."),
        ("Make sure a mail is sent", "a mail is sent"),
        ("Check the logs.", "Check the logs."),
        ("The list is empty.", "The list is empty."),
    ],
)
def test_request_to_ensure_something_is_dropped_where_a_statement_is_left(text, bare):
    assert without_ensure(text) == bare
