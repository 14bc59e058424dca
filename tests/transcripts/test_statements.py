"""What people are taken to have stated, and how many contradictions of short conversations that finds."""

import pytest

from bench.transcripts.contradicting import judge, read_cases, read_conversations, strangers, total
from pactkeeper.intent.conversation import Block, Entry, Place
from pactkeeper.transcripts.extraction.extract import extract
from pactkeeper.transcripts.extraction.statements import statements
from pactkeeper.transcripts.extraction.window import Window

AT = Place("/a.jsonl", 0, 9)


def entries(*texts, role="user"):
    return tuple(
        Entry(f"u{number}", "", role, "2026-03-01T09:00:00Z", (Block("text", text),), AT)
        for number, text in enumerate(texts, start=1)
    )


def stated(*texts, role="user"):
    return [one.title for one in statements(Window.of(entries(*texts, role=role)))]


@pytest.fixture(scope="module")
def tuning(tmp_path_factory):
    cases = read_cases("tuning")
    return cases, read_conversations(cases, tmp_path_factory.mktemp("cases"))


def test_a_sentence_with_a_value_is_a_statement_and_others_are_none():
    assert stated("Good morning. The rent is 900 €. Please look into the tests.") == ["The rent is 900 €."]


@pytest.mark.parametrize(
    "text",
    [
        "Registration is closed now.",
        "Priya takes over billing from Marco.",
        "We use Mapbox instead of Google Maps for the route view.",
        "The podcast is cancelled.",
        "Dogs are not allowed in the office.",
        "The fair moves to 4 July.",
    ],
)
def test_states_owners_choices_ends_denials_and_dates_are_statements(text):
    assert stated(text) == [text]


def test_the_agent_states_nothing():
    assert stated("The rent is 900 €.", role="assistant") == []


def test_an_order_is_not_a_statement():
    assert stated("Please set the timeout to 5 minutes.", "Then could you look at 3 files.") == []


def test_what_is_quoted_is_not_stated():
    assert stated('He wrote "The rent is 900 € from May on".', "> The rent is 900 €.") == []


def test_what_is_taken_back_in_the_same_breath_is_not_stated():
    assert stated("The fair moves to 4 July. No, wait, it stays on 27 June.") == []


def test_what_the_next_message_takes_back_is_not_stated():
    assert stated("The fair moves to 4 July.", "Forget that.") == []


def test_what_was_said_before_is_not_taken_back_with_it():
    assert stated("The rent is 900 €.", "The fair moves to 4 July. Scratch that.") == ["The rent is 900 €."]


def test_a_decision_is_not_a_statement_too():
    said = entries("We decided to use Hetzner instead of AWS because it is in the EU.")
    assert [one.type for one in extract((), said, fresh={"u1"})] == ["decision_with_context"]


def test_contradictions_that_rules_were_made_for_are_found_without_a_false_alarm(tuning):
    cases, seen = tuning
    found = total([judge(case, one) for case, one in zip(cases, seen, strict=True)])
    assert found.right >= 0.9 * (found.right + found.missed)
    assert found.wrong == 0


def test_conversations_and_documents_of_strangers_contradict_each_other_never(tuning):
    assert list(strangers(*tuning)) == []
