"""What rules see in a sentence, and what they ask instead of making something up."""

import pytest

from pactkeeper.authoring.words import refine
from pactkeeper.intent.quality import AtomWords


def test_good_words_are_left_alone():
    words = AtomWords("A login with an old token is refused.", ("The status is 401.",), ("The status is 200.",))
    found = refine(words)
    assert (found.quality.score, found.joints, found.questions) == (100, (), ())


def test_an_atom_with_outcomes_wants_no_falsifiers():
    found = refine(AtomWords("A login with an old token is refused.", ("The status is 401.",)))
    assert (found.quality.score, found.questions) == (100, ())


def test_title_is_asked_about():
    assert refine(AtomWords("Login page")).questions[0].startswith("Who or what does what")


def test_other_language_is_asked_about_in_english():
    found = refine(AtomWords("Der Benutzer erhält eine Meldung."))
    assert found.questions == ("This looks like German, which the rules do not read: what does it say in English?",)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The mail is sent and is archived.", "'and is': can one part hold while the other does not?"),
        ("The list is empty. It has a title.", "'2 sentences': can one part hold"),
        ("It is shown after login.", "'It': who or what is it?"),
        ("The parser supports comments.", "what is seen, shown or changed"),
        ("Old files are usually removed.", "'usually': when does it hold"),
        ("The page is shown quickly.", "'quickly': when does the time start and end"),
    ],
)
def test_what_is_left_open_becomes_a_question(text, question):
    assert any(question in one for one in refine(AtomWords(text)).questions)


@pytest.mark.parametrize(
    "text",
    [
        "'a and is b' is shown.",
        "The mail is sent and nothing is kept.",
        "Salt and pepper are listed.",
        "Read and write.",
    ],
)
def test_a_joint_of_things_or_of_quoted_words_joins_no_behaviours(text):
    assert [one for one in refine(AtomWords(text)).joints if "are" not in one] == []
