"""What counts as a statement about behaviour."""

import pytest

from pactkeeper.intent.wording.stating import form_of, marks_of


@pytest.mark.parametrize(
    "text",
    [
        "A cart of 100 euros or more gets ten percent off",
        "If the token has expired, the request is refused",
        "An unclosed quote in the editor command raises ValueError",
        "tokens expire after a day",
        "an object with keys does not match",
        "Ein abgelaufenes Token wird abgelehnt",
        "期限切れのトークンは拒否される",
    ],
)
def test_a_sentence_with_subject_and_verb_is_whole(text):
    assert form_of(text, prose=True) == "whole"


@pytest.mark.parametrize("text", ["returns 404 when the user is missing", "should fully reload", "cannot read twice"])
def test_a_sentence_that_begins_with_its_verb_lacks_its_subject(text):
    assert form_of(text, prose=True) == "headless"


@pytest.mark.parametrize(
    "text",
    [
        "returns `true` if `origin` header is not defined",
        "allows an alias to be defined for a positional argument",
        "should not run the command if it is off",
    ],
)
def test_what_is_vague_in_another_place_is_a_statement(text):
    assert form_of(text, prose=True) == "headless"


@pytest.mark.parametrize(
    "text", ["uses size", "resolves /lazy", "should match two files", "can detect a request of GET"]
)
def test_an_action_and_its_object_say_no_more(text):
    assert marks_of(text, prose=True) == frozenset()


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("returns an error when a password is missing", "condition"),
        ("should not expose files", "denial"),
        ("decodes a string to bytes", "complement"),
        ("tokens expire", "subject"),
        ("can be enabled", "result"),
    ],
)
def test_a_sentence_that_says_more_shows_what(text, mark):
    assert mark in marks_of(text, prose=True)


@pytest.mark.parametrize(
    "text",
    [
        "works",
        "returns a valid result when it is set",
        "renders",
        "should work",
        "handles unicode",
        "is defined",
        "parses dates correctly",
        "returns the expected value",
        "throws / throw / Throw",
        "42",
        "parsing of files that are empty",
        "when the file is empty",
        "if the file is empty, as expected",
        "how it is built",
        "Check how values are prompted",
        "We use a mock server here",
        "the test will fail in its set-up",
    ],
)
def test_what_says_nothing_or_speaks_of_the_test_is_no_statement(text):
    assert form_of(text, prose=True) is None


@pytest.mark.parametrize(
    "text", ["exit within warns", "multiple calls with args", "is not https redirect", "regression"]
)
def test_a_name_whose_verb_may_be_a_noun_is_no_statement(text):
    assert form_of(text, prose=False) is None
