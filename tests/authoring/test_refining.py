"""From a sentence to better ones, without making anything up in silence."""

import pytest

from pactkeeper.authoring.refining import refine
from pactkeeper.intent.quality import AtomWords, QualityVocabulary

SAVED = "users can save their work and get a confirmation quickly"


def intents(text, **words):
    return [one.words.intent for one in refine(AtomWords(text, **words)).rewordings]


def test_sentence_of_two_behaviours_is_split_asked_about_and_worded():
    found = refine(AtomWords(SAVED))
    assert not found.atomicity.atomic
    assert [one.words.intent for one in found.rewordings] == [
        "Users can save their work.",
        "Users can get a confirmation within 2 seconds.",
    ]
    assert any("'quickly'" in question for question in found.questions)
    assert all(one.quality.score > found.quality.score for one in found.rewordings)


def test_value_that_nobody_gave_is_marked_as_an_example():
    first, second = refine(AtomWords(SAVED)).rewordings
    assert first.examples == ()
    assert second.examples == ("within 2 seconds",)


def test_every_change_is_named():
    (one,) = refine(AtomWords("The basket is stored in Redis.")).rewordings
    assert one.words.intent == "The basket is stored."
    assert any("'Redis'" in change for change in one.changes)


def test_an_atom_with_outcomes_wants_no_falsifiers():
    assert refine(AtomWords("A login with an old token is refused.", ("The status is 401.",))).rewordings == ()


def test_good_words_are_left_alone():
    words = AtomWords("A login with an old token is refused.", ("The status is 401.",), ("The status is 200.",))
    found = refine(words)
    assert (found.quality.score, found.rewordings, found.questions) == (100, (), ())


def test_term_of_the_domain_is_neither_asked_about_nor_dropped():
    found = refine(AtomWords("Keys expire in Redis after 10 seconds."), QualityVocabulary(domain_terms=("redis",)))
    assert not any("Redis" in question for question in found.questions)
    assert all("Redis" in one.words.intent for one in found.rewordings)


def test_title_is_asked_about_and_not_reworded():
    found = refine(AtomWords("Login page"))
    assert found.rewordings == ()
    assert found.questions[0].startswith("Who or what does what")


def test_other_language_is_asked_about_in_english():
    found = refine(AtomWords("Der Benutzer erhält eine Meldung."))
    assert found.rewordings == ()
    assert found.questions == ("This looks like German, which the rules do not read: what does it say in English?",)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Invalid rows are logged or dropped.", "Which of the alternatives holds"),
        ("The cart is saved and the user is told when it changes.", "does it hold for each part"),
        ("It is shown after login.", "'It': who or what is it?"),
        ("The parser supports comments.", "what is seen, shown or changed"),
        ("Old files are usually removed.", "'usually': when does it hold"),
        ("Keys are kept in Redis.", "'Redis': what would be seen differently"),
    ],
)
def test_what_is_left_open_becomes_a_question(text, question):
    assert any(question in one for one in refine(AtomWords(text)).questions)


def test_user_story_becomes_what_the_role_can_do():
    assert intents("As a driver, I want to see the next stop so that I can slow down.") == [
        "A driver can see the next stop."
    ]


def test_same_words_give_the_same_refinement():
    assert refine(AtomWords(SAVED)) == refine(AtomWords(SAVED))
