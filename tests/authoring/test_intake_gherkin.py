"""Feature files: scenarios as behaviours with outcomes."""

import pytest

from pactkeeper.authoring.source import NotTaken
from tests.authoring.texts import found, intents, reasons, taken

FEATURE = """\
@login
Feature: Login
  As a member

  Background:
    Given a registered member

  @smoke @fast
  Scenario: An expired token is refused
    Given a token that expired
    When I log in with it
    Then the response status should be 401
    And no session is created

  Scenario: Remember me
    When I tick "Remember me"
    And I log in
    Then I should see my name
    But I am not asked again
"""


def feature(text):
    return found(text, feature=True, path="login.feature")


def test_scenario_with_a_sentence_for_a_name_keeps_it():
    first = taken(FEATURE, feature=True)[0]
    assert first.intent == "An expired token is refused."
    assert first.outcomes == ("The response status should be 401.", "No session is created.")
    assert first.tags == ("smoke", "fast")


def test_scenario_with_a_title_for_a_name_is_worded_from_its_steps():
    second = taken(FEATURE, feature=True)[1]
    assert second.intent == 'When I tick "Remember me" and I log in, I should see my name.'
    assert second.outcomes == ("I should see my name.", "I am not asked again.")


def test_span_covers_the_scenario_and_not_its_tags():
    assert [one.span.place for one in taken(FEATURE, feature=True, path="login.feature")] == [
        "login.feature:9-13",
        "login.feature:15-19",
    ]


def test_description_of_a_feature_is_listed():
    assert reasons(FEATURE, feature=True) == ["describes the feature; its scenarios say what holds"]


def test_scenario_without_a_then_says_nothing():
    assert "no `Then`" in reasons("Scenario: A\n  When I click\n", feature=True)[0]


@pytest.mark.parametrize("tag", ["@IA-7F3KQ9T", "@atom:IA-7F3KQ9T", "@atom(IA-7F3KQ9T)"])
def test_scenario_that_is_linked_already_is_not_taken(tag):
    (one,) = feature(f"{tag}\nScenario: A\n  Then b is shown\n")
    assert isinstance(one, NotTaken)
    assert "IA-7F3KQ9T" in one.why


def test_rows_of_examples_belong_to_the_outline_and_to_no_step():
    text = "Scenario Outline: Wrong PIN\n  When it is entered\n  Then it is refused\n  Examples:\n    | pin |\n    | 12 |\n"
    (one,) = taken(text, feature=True)
    assert one.outcomes == ("It is refused.",)
    assert one.span.end == 6


def test_outline_that_leaves_its_values_to_examples_is_not_taken():
    text = "Scenario Outline: Wrong PIN\n  When <pin> is entered\n  Then it is refused\n  Examples:\n    | pin |\n    | 12 |\n"
    assert taken(text, feature=True) == []
    assert "table of examples" in reasons(text, feature=True)[0]


@pytest.mark.parametrize("mark", ['"""', "```"])
def test_block_of_text_is_said_with_its_step_and_read_as_no_step(mark):
    text = f"Scenario: A\n  When it runs\n  Then the output contains:\n    {mark}\n    Then not a step\n    {mark}\n  And it ends\n"
    (one,) = taken(text, feature=True)
    assert one.outcomes == ('The output contains "Then not a step".', "It ends.")


def test_table_of_a_step_is_named_by_its_line():
    (one,) = taken("Scenario: A\n  When it runs\n  Then the list has:\n    | a |\n    | b |\n", feature=True)
    assert one.outcomes == ("The list has the table in line 4.",)


def test_feature_in_another_language_is_named_and_not_read():
    text = "# language: de\nFunktionalität: Anmeldung\n  Szenario: A\n    Dann ist es gut\n"
    assert intents(text, feature=True) == []
    assert "'de'" in reasons(text, feature=True)[0]
