"""Plans that are told in sentences."""

import pytest

from pactkeeper.intent.conversation import Block, Entry, Place, Role
from pactkeeper.transcripts.extraction.prose import plans_in_prose, told_plans
from pactkeeper.transcripts.extraction.window import Window
from pactkeeper.transcripts.reconciling.items import steps

PLAN = "First, add a table for refunds. Second, let support create one. Finally, show them in the report."


def window(asked, answer):
    texts: tuple[tuple[Role, str], ...] = (("user", asked), ("assistant", answer))
    return Window.of(
        tuple(
            Entry(f"u{number}", "", role, "T", (Block("text", text),), Place("/a.jsonl", 0, 9))
            for number, (role, text) in enumerate(texts, start=1)
        )
    )


def found(answer, asked="Which steps do you see?"):
    return [one.excerpts[0].text for one in plans_in_prose(window(asked, answer))]


def told(text):
    return [[text[slice(*one)] for one in plan.steps] for plan in told_plans(text)]


def test_a_plan_in_sentences_is_found_where_somebody_asked_for_one():
    assert found(f"Good question. {PLAN} That is all.") == [PLAN]


def test_a_plan_under_a_line_that_says_so_needs_no_question():
    (artifact,) = plans_in_prose(window("Hello.", f"**Plan for refunds**\n\n{PLAN}"))
    assert (artifact.title, artifact.facts["steps"]) == ("Plan for refunds", 3)


def test_sentences_that_nobody_asked_for_are_no_plan():
    assert found(PLAN, asked="Hello.") == []


@pytest.mark.parametrize(
    "text",
    [
        "First, the parser reads the file. Then it builds a tree. Finally, the writer prints it.",
        "First, add a table. Then show it.",
        "First, I read the log. Then I ran the tests. Finally, it worked.",
        "First, add a table. It has three columns.\n\nThen show it.\n\nFinally, delete the old one.",
        "Then add a table. Next, show it. Finally, delete it.",
    ],
)
def test_a_description_two_steps_or_separate_paragraphs_are_no_plan(text):
    assert told(text) == []


def test_one_sentence_may_have_every_step():
    text = "First rename the column, then move the data, and finally drop the old table."
    assert told(text) == [["rename the column", "move the data", "drop the old table."]]


def test_every_step_becomes_an_item_with_its_own_words():
    assert [one.title for one in steps(PLAN)] == [
        "Add a table for refunds",
        "Let support create one",
        "Show them in the report",
    ]
    assert steps(PLAN)[0].text == "add a table for refunds."


def test_a_list_is_read_as_one_whatever_its_sentences_say():
    assert [one.title for one in steps(f"{PLAN}\n\n1. Renew the passport")] == ["Renew the passport"]
