import pytest

from pactkeeper.chat.words import form_of, parts_of, read_question, spelled_right, terms_of


@pytest.mark.parametrize(
    ("word", "text", "written"),
    [
        ("refused", "it refuses them", "refuses"),
        ("retries", "one Retry more", "Retry"),
        ("stopped", "we stop here", "stop"),
        ("timeout", "await pTimeout(task)", "Timeout"),
        ("websocket", "new WebSocket(url)", "WebSocket"),
        ("keys", "the key", "key"),
        ("redirection", "it redirects", "redirects"),
        ("cmp_using", "attrs.cmpUsing(eq)", "cmpUsing"),
        ("maxAge", "max_age = 3", "max_age"),
        ("server", "class HTTPServer:", "Server"),
    ],
)
def test_a_word_is_found_in_its_forms_and_said_as_the_text_writes_it(word, text, written):
    assert form_of(word).written(text) == written


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("redis", "Redistribution"),
        ("customers", "custom"),
        ("key", "keywords KEYWORDS"),
        ("too", "tools"),
        ("log", "blog"),
        ("ne", "we need one"),
        ("1606", "21606 16067"),
        ("cmp_using", "cmp is what using it needs"),
    ],
)
def test_a_word_is_not_found_in_another_word(word, text):
    assert not form_of(word).count(text)


def test_an_umlaut_splits_no_word():
    assert {"schlüssel", "geändert"} <= set(terms_of(read_question("Schlüssel geändert")))
    assert not {"schl", "ssel", "ge", "ndert"} & set(terms_of(read_question("Schlüssel geändert")))


def test_a_word_of_the_language_is_no_slip_for_another():
    assert spelled_right("refuse")
    assert not spelled_right("expird")


def test_the_plural_of_an_acronym_is_one_word():
    assert [parts_of(word) for word in ("URLs", "parseURLs", "URLStore")] == [
        ("urls",),
        ("parse", "urls"),
        ("url", "store"),
    ]
    assert form_of("URLs").count("a url and one of the URLs") == 2
