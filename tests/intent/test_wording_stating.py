"""What keeps a text from being an intent, and which texts need a subject."""

import pytest

from pactkeeper.intent.wording.intents import headless, obstacle


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
def test_nothing_speaks_against_a_sentence_with_its_subject(text):
    assert obstacle(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "returns 404 when the user is missing",
        "should fully reload",
        "cannot read twice",
        "falls back to the stored snapshot",
        "returns `true` if `origin` header is not defined",
        "allows an alias to be defined for a positional argument",
        "should not run the command if it is off",
    ],
)
def test_a_sentence_that_begins_with_its_verb_lacks_its_subject(text):
    assert (obstacle(text), headless(text)) == ("", True)


@pytest.mark.parametrize("text", ["orders are kept", "A token expires", "期限切れのトークンは拒否される"])
def test_a_sentence_with_its_subject_needs_no_other(text):
    assert not headless(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("works", "is a single word"),
        ("parses dates correctly", "leaves the result open with 'correctly'"),
        ("should work", "leaves the result open with 'should work'"),
        ("should handle unicode", "leaves the result open with 'should handle'"),
        ("returns the expected value", "leaves the result open with 'expected'"),
        ("how it is built", "is a question"),
        ("Is it closed?", "is a question"),
        ("Check how values are prompted", "begins with 'check'"),
        ("We use a mock server here", "begins with 'we'"),
        ("parsing of dates", "has no verb form such as 'is', 'stores' or 'stored'"),
        ("the test will fail in its set-up", "speaks of the test itself"),
    ],
)
def test_what_speaks_against_a_text_is_named(text, seen):
    assert obstacle(text) == seen
