"""Sentences as tokens and as sentences."""

import pytest

from pactkeeper.intent.wording.tokens import masked, sentences, tokens


def kinds(text):
    return [(token.text, token.kind) for token in tokens(text) if token.kind != "mark"]


@pytest.mark.parametrize(
    "literal",
    [
        "'saved and closed'",
        '"Add to basket"',
        "“Ready”",
        "„Fertig“",
        "`pk check --json`",
        "https://x.example/a?b=1",
        "GET /orders/42",
    ],
)
def test_what_is_quoted_is_one_token(literal):
    assert (literal, "quoted") in kinds(f"The page shows {literal} at once.")


@pytest.mark.parametrize(
    "name", ["src/a.py", "foo_bar", "parse()", "HashMap", "--json", "#general", "E0042", "requests.get", "<FILE>"]
)
def test_name_from_code_is_no_word(name):
    assert (name, "name") in kinds(f"The tool reads {name} first.")


@pytest.mark.parametrize("word", ["user-friendly", "doesn't", "users'", "o’clock", "naïve"])
def test_hyphen_and_apostrophe_stay_inside_a_word(word):
    assert (word, "word") in kinds(f"It is {word} here.")


def test_slash_between_plain_words_is_no_path():
    assert [text for text, _ in kinds("taxes and/or fees")] == ["taxes", "and", "or", "fees"]


def test_a_stop_inside_a_number_a_name_or_an_abbreviation_ends_no_sentence():
    assert len(sentences("It costs 3.50 euros, e.g. in a.py, i.e. here.")) == 1


def test_each_full_stop_before_a_capital_ends_a_sentence():
    assert [one[0].text for one in sentences("A is shown. B is hidden! Is C there?")] == ["A", "B", "Is"]


def test_tokens_cover_all_but_white_space():
    text = "Don't ‘quote’ me: 5 °C/41 °F — is it?"
    assert "".join(token.text for token in tokens(text)) == "".join(text.split())


def test_masking_keeps_every_position():
    text = 'It says "fast" to src/a.py.'
    assert len(masked(text)) == len(text)
    assert "fast" not in masked(text)
