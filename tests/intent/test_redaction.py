import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.redaction import redacted, redacted_json

LETTERS = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS}\n{LETTERS}\n-----END RSA PRIVATE KEY-----"
# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "anthropic": "sk-" + f"ant-api03-{LETTERS}",
    "openai": "sk-" + f"proj-{LETTERS}",
    "github": "gh" + f"p_{LETTERS}",
    "fine-grained": "github" + f"_pat_{LETTERS}",
    "gitlab": "glpat" + f"-{LETTERS}",
    "slack": "xo" + f"xb-1234567890-{LETTERS}",
    "aws": "AK" + "IAIOSFODNN7EXAMPLE",
    "google": "AI" + f"za{LETTERS}abc",
    "stripe": "sk" + f"_live_{LETTERS}",
    "npm": "npm" + f"_{LETTERS}",
    "jwt": "ey" + f"JhbGciOiJIUzI1NiJ9.ey{'J'}zdWIiOiIxMjM0In0.{LETTERS}",
    "notion": "nt" + f"n_{LETTERS}{LETTERS}",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_token_is_replaced_wherever_it_stands(name):
    secret = SECRETS[name]
    for text in (secret, f"use {secret}, please", f'{{"key": "{secret}"}}', f"X={secret}\n"):
        assert secret not in redacted(text)
        assert LETTERS not in redacted(text)
        assert "[redacted: " in redacted(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ada:hunter22@db:5432/shop", "postgresql://ada:[redacted: password in URL]@db:5432/shop"),
        ("Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer [redacted: bearer token]"),
        ("DB_PASSWORD=correct-horse", "DB_PASSWORD=[redacted: named secret]"),
        ('"api_key": "abcdefgh12345"', '"api_key": "[redacted: named secret]"'),
        ("mysql --password=hunter22 shop", "mysql --password=[redacted: named secret] shop"),
    ],
)
def test_what_stands_around_a_secret_stays(text, shown):
    assert redacted(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "The password must have twelve characters.",
        "password = os.environ['DB_PASSWORD']",
        "API_KEY=$API_KEY and token: ${TOKEN}",
        "https://example.com/a:b",
        "sk-learn is a library",
        "api_key = None",
        "See user@example.com and 12:30",
    ],
)
def test_talk_about_secrets_is_no_secret(text):
    assert redacted(text) == text


def test_a_private_key_goes_with_all_its_lines_and_the_lines_after_keep_their_numbers():
    text = f"before\n{KEY}\nafter"
    assert LETTERS not in redacted(text)
    assert redacted(text).split("\n")[-1] == "after"
    assert redacted(text).count("\n") == text.count("\n")


def test_a_private_key_that_is_cut_off_goes_to_the_end():
    assert LETTERS not in redacted(KEY[:70])


def test_json_is_redacted_in_keys_and_values_and_keeps_its_form():
    given = {"a": [SECRETS["github"], 1, None, True], SECRETS["github"]: {"b": "plain"}}
    found = redacted_json(given)
    assert LETTERS not in json.dumps(found)
    assert found == {"a": ["[redacted: GitHub token]", 1, None, True], "[redacted: GitHub token]": {"b": "plain"}}


@given(st.text(alphabet="ab =:/@\"'\npaswordkey-_.$", max_size=80))
def test_redacting_twice_is_redacting_once(text):
    assert redacted(redacted(text)) == redacted(text)
