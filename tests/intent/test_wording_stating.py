"""What counts as a statement about behaviour."""

import pytest

from pactkeeper.intent.wording.stating import form_of, obstacle


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
    ("text", "seen"),
    [
        ("parses dates correctly", "leaves the result open with 'correctly'"),
        ("should work", "leaves the result open with 'should work'"),
        ("how it is built", "is a question"),
        ("Check how values are prompted", "begins with 'check'"),
        ("parsing of files", "has no word that is certainly its verb"),
        ("the test will fail in its set-up", "speaks of the test itself"),
        ("tokens expire after a day", ""),
    ],
)
def test_what_keeps_a_text_from_being_a_statement_is_named(text, seen):
    assert obstacle(text, prose=True) == seen


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
