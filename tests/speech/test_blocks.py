import pytest

from pactkeeper.speech.blocks import MOST_BLOCKS, blocks, is_nothing


def placed(text):
    """Fields with their values in order; what nothing marks is under the empty name."""
    return [(one.field, one.value) for one in blocks(text)]


def test_a_label_gives_its_line_and_nothing_more():
    assert placed("Title: Keep orders\nanyone up for lunch") == [("title", "Keep orders"), ("", "anyone up for lunch")]


def test_a_list_under_a_label_ends_with_the_first_line_that_is_no_item():
    text = "AC:\n- one\n- two\nthat was an aside\n- late"
    assert placed(text) == [
        ("acceptance_criteria", "one"),
        ("acceptance_criteria", "two"),
        ("", "that was an aside"),
        ("", "late"),
    ]


def test_an_unknown_label_ends_the_list_above_it():
    assert placed("AC:\n- one\nShopping list:\n- milk") == [
        ("acceptance_criteria", "one"),
        ("", "Shopping list:"),
        ("", "milk"),
    ]


def test_a_label_inside_a_line_opens_the_list_below():
    text = "We need it within 10 seconds. Acceptance criteria:\n- the file is there"
    assert placed(text) == [("", "We need it within 10 seconds."), ("acceptance_criteria", "the file is there")]


def test_an_issue_form_is_read_by_its_headings():
    text = (
        "### What happened?\n\nIt crashed.\n\nTwice.\n\n### Expected behavior\n\nIt works\n\n### Risks\n\n_No response_"
    )
    found = placed(text)
    assert found[:2] == [("problem", "It crashed. Twice."), ("acceptance_criteria", "It works")]
    assert is_nothing(found[2][1])


def test_a_scenario_is_one_criterion_word_for_word():
    text = "```gherkin\nScenario: guest pays\n  Given a basket\n  When a guest pays\n  Then an order exists\n```"
    assert placed(text) == [("acceptance_criteria", "Given a basket When a guest pays Then an order exists")]


def test_a_key_with_its_value_is_a_constraint():
    (found,) = blocks("session timeout = 15 minutes")
    assert (found.field, found.key, found.value) == ("constraints", "session timeout", "15 minutes")


def test_a_limit_with_its_value_is_named_by_its_key():
    (found,) = blocks("limit = 60 requests per minute")
    assert (found.key, found.value) == ("limit", "60 requests per minute")


def test_a_correction_may_name_a_key():
    (found,) = blocks("Korrektur: Absender = Praxis Süd")
    assert (found.key, found.value, found.intent) == ("Absender", "Praxis Süd", "correct")


def test_what_is_folded_away_on_one_line_with_its_heading_is_not_the_authors():
    assert placed("<details><summary>mail</summary>\nProblem: theirs\n</details>\nmine") == [("", "mine")]


def test_ticks_are_marks_of_a_list():
    text = "Acceptance criteria:\n✔\ufe0f A recipe has a code.\n✓ The page needs no login."
    assert placed(text) == [
        ("acceptance_criteria", "A recipe has a code."),
        ("acceptance_criteria", "The page needs no login."),
    ]


def test_a_question_is_no_value():
    assert [one.kind for one in blocks("badge tap = nice idea, who builds it?")] == ["sentence"]


@pytest.mark.parametrize("text", ["x == y", "f(a) = {1}", "a <= b"])
def test_code_is_no_constraint(text):
    assert [one.kind for one in blocks(text)] == ["sentence"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Correction: title: New", ("title", "correct", 0)),
        ("New title: New", ("title", "correct", 0)),
        ("Titel (neu): New", ("title", "correct", 0)),
        ("Correction to AC 1: New", ("acceptance_criteria", "correct", 1)),
        ("Remove AC 2", ("acceptance_criteria", "remove", 2)),
        ("AK 3 streichen", ("acceptance_criteria", "remove", 3)),
        ("AC 3: New", ("acceptance_criteria", "say", 3)),
    ],
)
def test_a_label_says_what_is_to_be_done(text, expected):
    (found,) = blocks(text)
    assert (found.field, found.intent, found.number) == expected


@pytest.mark.parametrize("text", ["30 days -> 60 days", "~30 days~ 60 days", "30 days → 60 days"])
def test_new_words_in_the_place_of_old_ones(text):
    (found,) = blocks(text)
    assert (found.kind, found.old, found.value) == ("swap", "30 days", "60 days")


def test_words_of_others_are_nobodys_sentences():
    text = "> Title: Theirs\n<details>\nTitle: Pasted\n</details>\n```\nTitle: Code\n```\nmine"
    assert placed(text) == [("", "mine")]


def test_quoted_words_are_known_to_what_follows():
    (found,) = blocks("> What should the ticket be called?\nKeep orders")
    assert found.quoted == "What should the ticket be called?"


def test_nested_lists_keep_to_their_labels():
    assert placed("- Title: X\n- AC:\n  - a\n- Risk: r\n- free") == [
        ("title", "X"),
        ("acceptance_criteria", "a"),
        ("risks", "r"),
        ("", "free"),
    ]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("Problema: se pierden pedidos", "problem"),
        ("Akzeptanzkriterien: Es geht", "acceptance_criteria"),
        ("Critères d'acceptation : ça marche", "acceptance_criteria"),
        ("**Risiko** – es dauert", "risks"),
    ],
)
def test_labels_are_known_in_four_languages(text, field):
    assert placed(text)[0][0] == field


def test_a_pasted_file_is_kept_as_one_sentence_behind_the_limit():
    found = blocks("word here\n" * (MOST_BLOCKS + 50))
    assert len(found) == MOST_BLOCKS + 1
    assert found[-1].whole.text.count("word") == 50


@pytest.mark.parametrize(
    "text", ["🙂" * 20_000, "a " * 20_000, "- " * 20_000, "**" * 20_000, "Title:" * 5_000, "= " * 20_000]
)
def test_no_text_takes_long(text):
    assert blocks(text) is not None


def test_an_aside_in_parentheses_keeps_the_list_open():
    assert placed("AC:\n- one\n(Ivan, was that you?)\n- two") == [
        ("acceptance_criteria", "one"),
        ("", "(Ivan, was that you?)"),
        ("acceptance_criteria", "two"),
    ]


def test_a_correction_that_names_no_field_is_kept_as_one():
    (block,) = blocks("Correction: locked after 10 logins (not 5)")
    assert (block.kind, block.value, block.intent) == ("anew", "locked after 10 logins (not 5)", "correct")


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_the_name_of_a_list_right_above_its_items_is_a_label_without_a_colon(between):
    text = f"Problem: it is slow\n\nAcceptance criteria{between}- one\n- two"
    criteria = [("acceptance_criteria", "one"), ("acceptance_criteria", "two")]
    assert placed(text) == [("problem", "it is slow"), *criteria]


@pytest.mark.parametrize("text", ["Links\n- one", "Acceptance criteria?\n- one", "Acceptance criteria\n\nare hard"])
def test_a_name_that_people_chat_with_or_ask_for_or_that_no_items_follow_is_no_label(text):
    assert [field for field, _ in placed(text)] == ["", ""]


def test_the_name_of_a_list_ends_the_text_above_it():
    text = "Problem:\nit is slow\nAcceptance criteria\n- one"
    assert placed(text) == [("problem", "it is slow"), ("acceptance_criteria", "one")]


def test_a_label_inside_a_paragraph_ends_what_stands_under_the_heading_above():
    found = blocks("### What happened?\n\nThe export is slow. Acceptance criteria:\n- It takes 5 seconds")
    assert [(one.field, one.value) for one in found] == [
        ("problem", "The export is slow."),
        ("acceptance_criteria", "It takes 5 seconds"),
    ]


def test_an_empty_part_of_a_form_that_fills_no_field_is_not_left_to_be_placed():
    assert blocks("### Steps to reproduce\n\n_No response_") == ()


def test_a_label_that_fills_no_field_takes_no_words_away():
    text = "Title: Printing\nIt broke. Notes: the printer was on fire"
    assert placed(text) == [("title", "Printing"), ("", "It broke."), ("", "Notes: the printer was on fire")]


def test_a_label_at_the_end_of_a_labelled_line_opens_the_list_below():
    assert placed("Title: Export. Acceptance criteria:\n- a file is there") == [
        ("title", "Export."),
        ("acceptance_criteria", "a file is there"),
    ]


def test_what_stands_beside_folded_text_in_one_line_is_read():
    assert placed("<details>Title: no</details> The export is slow.") == [("", "The export is slow.")]
