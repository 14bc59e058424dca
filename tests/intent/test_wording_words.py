"""Identifiers as English words."""

import pytest

from pactkeeper.intent.wording import capitalised, is_plural, singular, split_identifier


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("expired_token", ["expired", "token"]),
        ("parseHTTPResponse", ["parse", "HTTP", "Response"]),
        ("HTTPServer", ["HTTP", "Server"]),
        ("listURLs", ["list", "URLs"]),
        ("rfc1808_path", ["rfc1808", "path"]),
        ("x____y", ["x", "y"]),
        ("größeNeu", ["größe", "Neu"]),
        ("", []),
    ],
)
def test_an_identifier_splits_at_its_own_seams(name, words):
    assert split_identifier(name) == words


@pytest.mark.parametrize(
    ("plural", "one"),
    [("cookies", "cookie"), ("entries", "entry"), ("matches", "match"), ("addresses", "address"), ("caches", "cache")],
)
def test_a_plural_has_its_singular(plural, one):
    assert is_plural(plural)
    assert singular(plural) == one


@pytest.mark.parametrize("word", ["status", "address", "https", "is", "analysis", "process", "data"])
def test_a_word_that_only_ends_in_s_is_no_plural(word):
    assert not is_plural(word)
    assert singular(word) == word


def test_a_name_from_the_code_keeps_its_first_letter():
    assert capitalised("the token") == "The token"
    assert capitalised("parse_url returns None") == "parse_url returns None"
    assert capitalised("iPhone users") == "iPhone users"
