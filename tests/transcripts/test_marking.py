"""A model marks lines; the words stay those of the transcript."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.conversation import Block, ConversationEntry, RecordPlace, content
from pactkeeper.ledger.question import KINDS, MARKS
from pactkeeper.transcripts.marking import marked, material, passages, wrong_marks

PLAN = "I thought about it.\nFirst the schema,\nthen the data."
TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF"


def entry(text, role="assistant", uuid="u1"):
    return ConversationEntry(uuid, "", role, "T", (Block("text", text),), RecordPlace("/a.jsonl", 0, 9))


FOUND = passages([entry("Plan it.", "user"), entry("noise", "tool"), entry("a summary", "summary"), entry(PLAN)])


def mark(entry=2, first=2, last=3, **more):
    spans = [{"entry": entry, "first_line": first, "last_line": last}]
    return [{"type": "plan", "title": "Migration", "spans": spans, **more}]


def test_only_what_people_and_the_agent_said_can_be_marked():
    assert [one.entry.role for one in FOUND] == ["user", "assistant"]


def test_every_line_is_shown_with_its_number_and_without_secrets():
    shown = material(passages([entry(f"one\nkey {TOKEN}\nthree")]))
    assert shown == "[1] assistant\n1:1 one\n1:2 key [redacted: GitHub token]\n1:3 three"


def test_marked_lines_are_copied_as_they_stand():
    (plan,) = marked(mark(), FOUND)
    assert (plan.type, plan.title, content(plan)) == ("plan", "Migration", "First the schema,\nthen the data.")
    assert 50 <= plan.signals.strength < 80


@pytest.mark.parametrize(
    "value",
    [
        mark(entry=9),
        mark(last=4),
        mark(first=3, last=2),
        mark(first=0),
        mark(content="my own words"),
        mark(type="event"),
        {"type": "plan"},
        [{"type": "plan", "title": "x", "spans": []}],
    ],
)
def test_marks_of_lines_that_are_not_there_or_with_words_of_their_own_are_refused(value):
    assert wrong_marks(value, FOUND)
    with pytest.raises(ValueError, match=r"answer"):
        marked(value, FOUND)


def test_the_kind_of_question_has_the_shape_that_marks_have():
    assert KINDS["mark_spans"].answer == MARKS
    assert not wrong_marks(mark() * 50, FOUND)
    assert wrong_marks(mark() * 51, FOUND)


@given(st.text(max_size=60), st.integers(1, 9), st.integers(1, 9))
def test_whatever_is_marked_stands_in_the_text(text, first, last):
    found = passages([entry(text)])
    if found and not wrong_marks(mark(1, first, last), found):
        (one,) = marked(mark(1, first, last), found)
        assert content(one) in text
