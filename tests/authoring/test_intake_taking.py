"""What of a note or an issue becomes an atom, and why the rest does not."""

import pytest

from pactkeeper.authoring.source import NotTaken, Source, Taken
from pactkeeper.authoring.taking import take_in
from tests.authoring.texts import ISSUE, found, intents, reasons, taken


def test_issue_gives_what_shall_hold_and_nothing_else():
    assert intents(ISSUE) == [
        "A login with an expired token is refused.",
        "A session ends after one hour.",
        "As a member, I want to delete my account.",
    ]


def test_items_below_an_item_are_its_outcomes():
    (one,) = [one for one in taken(ISSUE) if one.outcomes]
    assert one.outcomes == ("The status is 401.", "No cookie is set.")
    assert one.span.place == "note.md:13-15"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("- Add tests", "tells somebody what to do"),
        ("- Login page", "states nothing"),
        ("- Is there a limit?", "is a question"),
        ("- ~~The page is blue.~~", "is struck out"),
        ("- The colour is TBD.", "is not decided yet"),
        (f"- It must {'very ' * 250}well hold.", "longer than 1,000 characters"),
        ("- As an admin, I want better reports.", "names no act"),
        ("- Eine Anmeldung mit altem Token wird abgelehnt.", "looks like German"),
        ("- We think it must be blue.", "says what people want"),
        ("> The boss: it must be blue.", "quotes what somebody said"),
        ("<!-- it must be blue -->", "is a comment"),
        ("```\nit must be blue\n```", "is code"),
        ("| a |\n|---|\n| must |", "is a table"),
    ],
)
def test_line_that_states_nothing_is_listed_with_the_reason(line, why):
    (reason,) = reasons(f"## Acceptance criteria\n\n{line}\n")
    assert why in reason


@pytest.mark.parametrize("heading", ["Steps to reproduce", "Actual behaviour", "Out of scope", "Environment", "Tasks"])
def test_what_stands_under_a_heading_of_something_else_is_not_taken(heading):
    assert intents(f"## {heading}\n- The list must be empty.\n") == []
    assert repr(heading) in reasons(f"## {heading}\n- The list must be empty.\n")[0]


@pytest.mark.parametrize(
    "heading",
    ["## Acceptance criteria", "### Expected behavior", "**Acceptance criteria:**", "Requirements:", "## Rules"],
)
def test_sentence_under_a_heading_of_criteria_is_taken_without_a_duty_in_it(heading):
    assert intents(f"{heading}\n\n- The list is empty at the start.\n") == ["The list is empty at the start."]


def test_sentence_elsewhere_is_taken_for_a_duty_only():
    text = "The list is empty. The list must be sorted by date.\n"
    assert intents(text) == ["The list must be sorted by date."]
    assert "no duty" in reasons(text)[0]


def test_introduction_below_a_title_of_requirements_is_no_criterion():
    assert intents("# Requirements\n## Introduction\nThis page describes the shop.\n") == []


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("The token must be refused.", "The token must be refused."),
        ("WHEN a token is old THEN the system SHALL refuse it", "When a token is old, the system shall refuse it."),
        ("IF a token is old THEN the system SHALL refuse it.", "If a token is old then the system shall refuse it."),
        (
            "Given a member, when she logs in, then her name is shown.",
            "Given a member, when she logs in, her name is shown.",
        ),
        ("**User Story:** As a guest, I want to read the menu.", "As a guest, I want to read the menu."),
        ("AC 1: The **total** must be shown.", "The total must be shown."),
        ("Ensure that the list must be empty.", "The list must be empty."),
        ("The `--json` flag must print one document.", "The `--json` flag must print one document."),
    ],
)
def test_forms_of_a_requirement_are_taken_as_they_stand(line, intent):
    assert intents(f"- {line}\n") == [intent]


@pytest.mark.parametrize(
    "text",
    [
        "A user can remove an item and is asked first.",
        "The cart shows the total and then sends it.",
        "The order is saved and a mail is sent afterwards.",
    ],
)
def test_a_sentence_of_several_behaviours_is_left_to_people(text):
    assert intents(f"# Acceptance criteria\n\n- {text}\n") == [text]


def test_alternatives_are_not_decided():
    assert intents("- Rows must be logged or dropped.\n") == ["Rows must be logged or dropped."]


def test_steps_in_a_list_are_one_scenario():
    text = (
        "- **Given** a full basket\n- **When** I open the checkout\n- **Then** I see the total\n- **And** I can pay\n"
    )
    (one,) = taken(text)
    assert one.intent == "Given a full basket, when I open the checkout, I see the total."
    assert one.outcomes == ("I see the total.", "I can pay.")
    assert one.span.place == "note.md:1-4"


def test_steps_on_lines_of_a_paragraph_are_one_scenario():
    assert intents("Given a basket\nWhen it is paid\nThen an invoice is sent\n") == [
        "Given a basket, when it is paid, an invoice is sent."
    ]


def test_feature_in_a_fence_is_read_with_its_own_lines():
    text = "Text.\n\n```gherkin\nScenario: A wrong PIN locks the card\n  When it is wrong\n  Then the card is locked\n```\n"
    (one,) = taken(text)
    assert one.span.place == "note.md:4-6"


@pytest.mark.parametrize("bullet", ["•", "–", "1)"])
def test_bullets_that_are_no_markdown_are_items(bullet):
    text = f"Acceptance criteria:\n\n{bullet} The list is empty.\n{bullet} The total is shown.\n"
    assert intents(text) == ["The list is empty.", "The total is shown."]


def test_indented_notes_are_text_and_no_code():
    assert intents("Rules:\n\n    The total must be shown.\n") == ["The total must be shown."]


def test_front_matter_is_skipped_and_lines_keep_their_numbers():
    (one,) = taken("---\nmust: be\n---\n\n- The total must be shown.\n")
    assert one.span.place == "note.md:5"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quotation_is_verbatim_whatever_the_line_ends(end):
    text = end.join(["# A", "- [ ] The total must", "  be shown.", ""])
    (one,) = taken(text)
    assert one.span.quote == f"- [ ] The total must{end}  be shown."
    assert (one.span.start, one.span.end) == (2, 3)


def test_lines_left_for_one_reason_are_one_entry():
    text = "## Steps to reproduce\n1. Log in\n2. Wait\n3. Log out\n"
    (one,) = found(text)
    assert isinstance(one, NotTaken)
    assert one.span.place == "note.md:2-4"


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# Title\n", "---\n", "- \n", "- [ ] \n", "\ufeff", "|", "```\n", "* * *\n", "a\x00b\n"]
)
def test_any_text_is_read(text):
    assert not [one for one in take_in(Source("note.md", text)) if isinstance(one, Taken)]
