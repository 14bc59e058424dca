"""What people are taken to have stated, and how many contradictions of short conversations that finds."""

import pytest

from bench.transcripts.contradicting import judge, read_cases, read_conversations, strangers, total
from pactkeeper.intent.conversation import Block, ConversationEntry, RecordPlace
from pactkeeper.transcripts.extraction import Window
from pactkeeper.transcripts.extraction.extract import extract
from pactkeeper.transcripts.extraction.products import statements

AT = RecordPlace("/a.jsonl", 0, 9)


def entries(*texts, role="user"):
    return tuple(
        ConversationEntry(f"u{number}", "", role, "2026-03-01T09:00:00Z", (Block("text", text),), AT)
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


@pytest.mark.parametrize("text", ["Dogs are not allowed in the office.", "The fair moves to 4 July."])
def test_what_is_denied_or_has_a_date_is_a_statement(text):
    assert stated(text) == [text]


@pytest.mark.parametrize(
    "text", ["Maybe the rent is 900 €.", "Is the rent 900 €?", "<details>The rent is 900 €.</details>"]
)
def test_what_is_not_meant_is_no_statement(text):
    assert stated(text) == []


def test_the_agent_states_nothing():
    assert stated("The rent is 900 €.", role="assistant") == []


def test_an_order_is_not_a_statement():
    assert stated("Please set the timeout to 5 minutes.", "Then could you look at 3 files.") == []


def test_what_is_quoted_is_not_stated():
    assert stated('He wrote "The rent is 900 € from May on".', "> The rent is 900 €.") == []


def test_every_sentence_of_a_quotation_is_somebody_elses():
    assert stated('The landlord wrote: "The rent is 2,400 € from May. We do not repair the roof." I see.') == []


def test_a_decision_is_not_a_statement_too():
    said = entries("We decided to use Hetzner instead of AWS because it is in the EU.")
    assert [one.type for one in extract((), said, fresh={"u1"})] == ["decision_with_context", "remark"]


def test_contradictions_of_short_conversations_are_found_with_few_false_alarms(tuning):
    cases, seen = tuning
    found = total([judge(case, one) for case, one in zip(cases, seen, strict=True)])
    assert found.right >= 4
    assert found.wrong <= 2


def test_conversations_and_documents_of_strangers_hardly_contradict_each_other(tuning):
    assert len(list(strangers(*tuning))) <= 1
