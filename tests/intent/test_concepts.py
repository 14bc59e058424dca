import pytest

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.context import concepts_of, subject_words, words_of


def evidence(name, *suite, docstring=None):
    return TestEvidence("t", suite, name, docstring)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("test_expired_tokens_are_refused", ("expired", "token", "refused")),
        ("refuses a negative quantity", ("refuse", "negative", "quantity")),
        ("TestRetryPolicy", ("retry", "policy")),
        ("test_it_works_as_expected", ()),
        ("parseHTTPHeaders", ("parse", "http", "header")),
    ],
)
def test_a_name_is_about_its_words_without_those_that_every_test_has(text, words):
    assert subject_words(text) == words


def test_a_word_counts_once_however_often_it_stands_there():
    assert subject_words("basket baskets Basket") == ("basket",)


def test_short_words_are_kept_where_they_tell_something():
    assert words_of("vm of ab qr") == ("vm", "qr")


def test_words_of_programming_are_technical_and_others_are_of_the_domain():
    found = concepts_of(evidence("test_refund_request_is_parsed"), "tests/test_x.py")
    assert found.domain == ("refund", "parsed")
    assert found.technical == ("request",)


def test_words_that_stand_in_more_places_come_first():
    found = concepts_of(evidence("test_limit_and_refund", "TestRefund", docstring="A refund is paid."), "tests/t.py")
    assert found.domain[0] == "refund"


def test_the_test_file_says_what_its_tests_are_about():
    assert concepts_of(evidence("test_it"), "tests/test_shipping_rates.py").domain == ("shipping", "rate")
    assert concepts_of(evidence("it"), "src/shipping.test.ts").domain == ("shipping",)


def test_names_of_code_come_before_other_technical_words():
    found = concepts_of(evidence("test_request"), "tests/t.py").naming(("Basket.add", "Basket"))
    assert found.technical == ("Basket.add", "Basket", "request")
