"""How people talk until a draft is complete, on every channel."""

import pytest

from tests.conformance.threads.stage import BOB, CRITERION, PROBLEM, TITLE, Talk, Turn
from tests.conformance.threads.stages import needs

COMPLETE = (TITLE, PROBLEM, CRITERION)
FIELDS = ["title", "problem", "acceptance_criteria"]


def fields(talk):
    return [one["field"] for one in talk.asks]


def test_thread_opened_with_hi_is_asked_and_goes_on_from_the_answer(stage):
    talk = Talk.opened(stage, "hi")
    assert (talk.kinds, fields(talk)) == (["ask"], FIELDS)
    (asked,) = talk.mention(COMPLETE[0])
    assert (asked.kind, fields(talk)) == ("ask", FIELDS[1:])
    assert asked.text != talk.shown[0].text


def test_four_turns_make_a_draft(stage):
    talk = Talk.opened(stage, "hi", *COMPLETE)
    assert talk.kinds == ["ask", "ask", "ask", "preview"]


@pytest.mark.slow
def test_thread_of_25_turns_is_answered_as_the_first_one_was(stage):
    talk = Talk.opened(stage, "\n".join(COMPLETE))
    for number in range(23):
        stage.send(talk.thread, Turn("mention", f"Title: Name {number}"))
    assert talk.shown[-1].kind == "preview"
    (preview,) = talk.mention("Title: The last name")
    assert (preview.kind, "# The last name" in preview.text) == ("preview", True)
    assert [one.kind for one in talk.approve(preview)] == ["created"]


def test_remarks_are_read_together_once_the_thread_is_quiet(stage):
    needs(stage, "waiting")
    talk = Talk.opened(stage, "hi")
    assert [talk.say(text) for text in COMPLETE] == [[], [], []]
    assert [one.kind for one in talk.quiet()] == ["preview"]


def test_remarks_to_nobody_make_a_draft(stage):
    talk = Talk.opened(stage, "hi")
    for text in COMPLETE:
        talk.say(text)
    talk.quiet()
    assert talk.kinds[-1] == "preview"


def test_one_message_answers_several_questions(stage):
    talk = Talk.opened(stage, "hi")
    (preview,) = talk.mention(
        "1. Export orders\n2. Accountants copy orders by hand.\n3. An export of 1000 orders has 1000 rows."
    )
    assert preview.kind == "preview"
    assert [talk.values(name) for name in FIELDS] == [
        ["Export orders"],
        ["Accountants copy orders by hand."],
        ["An export of 1000 orders has 1000 rows."],
    ]


def test_field_that_nobody_knows_is_not_asked_for_again_and_approved_by_nobody(stage):
    talk = Talk.opened(stage, "hi")
    talk.answer("I don't know", to=2)
    assert fields(talk) == ["title", "acceptance_criteria"]
    (told,) = talk.mention(f"{COMPLETE[0]}\n{COMPLETE[2]}")
    assert (told.kind, told.hash, "problem" in told.text) == ("gaps", "", True)


def test_two_rounds_without_an_answer_end_in_the_gaps_without_anything_to_approve(stage):
    talk = Talk.opened(stage, "hi")
    talk.mention("hello?")
    (gaps,) = talk.mention("anybody?")
    assert (talk.kinds, gaps.hash) == (["ask", "ask", "gaps"], "")
    assert "still missing" in gaps.text


def test_answer_after_the_gaps_is_heard(stage):
    talk = Talk.opened(stage, "hi")
    for text in ("hello?", "anybody?"):
        talk.mention(text)
    (preview,) = talk.mention("\n".join(COMPLETE))
    assert preview.kind == "preview"


@pytest.mark.parametrize(
    ("said", "name", "values"),
    [
        ("Title: Export invoices", "title", ["Export invoices"]),
        ("Correction: title: Export invoices", "title", ["Export invoices"]),
        ("1000 rows -> 2000 rows", "acceptance_criteria", ["An export of 1000 orders has 2000 rows."]),
    ],
)
def test_correction_replaces_what_was_said(stage, said, name, values):
    talk = Talk.opened(stage, "\n".join(COMPLETE))
    (preview,) = talk.mention(said)
    assert (preview.kind, talk.values(name), preview.version) == ("preview", values, 2)


def test_two_people_who_name_it_differently_are_asked(stage):
    talk = Talk.opened(stage, "\n".join(COMPLETE))
    (asked,) = talk.mention("Title: Export invoices", by=BOB)
    assert (asked.kind, talk.values("title")) == ("ask", ["Export orders", "Export invoices"])
    (preview,) = talk.mention("keep the second", by=BOB)
    assert (preview.kind, talk.values("title")) == ("preview", ["Export invoices"])


def test_thanks_are_not_answered(stage):
    talk = Talk.opened(stage, "\n".join(COMPLETE))
    assert talk.say("thanks!") + talk.quiet() == []


def test_wish_for_changes_without_words_is_asked_back(stage):
    needs(stage, "wordless")
    talk = Talk.opened(stage, "\n".join(COMPLETE))
    (asked,) = talk.changes()
    assert "What should be different?" in asked.text
    (preview,) = talk.changes("Title: Export invoices")
    assert "# Export invoices" in preview.text


def test_labels_in_german_make_a_draft(stage):
    talk = Talk.opened(
        stage,
        "Titel: Bestellungen exportieren\n"
        "Problem: Die Buchhaltung tippt jeden Monat alle Bestellungen ab.\n"
        "Akzeptanzkriterien:\n- Ein Export von 1000 Bestellungen hat 1000 Zeilen.",
    )
    assert talk.kinds == ["preview"]
    assert [one.kind for one in talk.approve()] == ["created"]
    (task,) = stage.home.tasks()
    assert "1000 Zeilen" in task.body


def test_language_without_any_rule_is_led_to_a_ticket_by_questions(stage):
    talk = Talk.opened(stage, "cześć")
    for text in (
        "Eksport zamówień",
        "Księgowi przepisują zamówienia ręcznie.",
        "Eksport 1000 zamówień ma 1000 wierszy.",
    ):
        talk.answer(text)
    assert [one.kind for one in talk.approve()] == ["created"]
    (task,) = stage.home.tasks()
    assert (task.title, "1000 wierszy" in task.body) == ("Eksport zamówień", True)
