import pytest
from hypothesis import given

from pactkeeper.ledger.canonical import canonical_json, digest, digest_bytes, plain
from tests.ledger.strategies import json_values


def test_equal_values_have_one_form_whatever_the_order_of_keys():
    assert canonical_json({"b": [1, True, None], "a": "é"}) == '{"a":"é","b":[1,true,null]}'.encode()
    assert digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})


def test_a_digest_names_its_version_and_is_sha256():
    assert digest_bytes(b"") == "v1:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest("a") == digest_bytes(b'"a"')


def test_unicode_forms_stay_apart():
    assert digest("\N{LATIN SMALL LETTER E WITH ACUTE}") != digest("e\N{COMBINING ACUTE ACCENT}")


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [0, 1.5]}, r"\$\.a\[1\] is 1\.5 of type float"),
        ({"a": {1: "x"}}, r"\$\.a has the key 1"),
        ({"a": {"x"}}, r"\$\.a is \{'x'\} of type set"),
        (b"x", r"\$ is b'x' of type bytes"),
    ],
)
def test_what_json_cannot_say_exactly_is_refused_with_its_place(value, place: str):
    with pytest.raises(TypeError, match=place):
        canonical_json(value)


def test_text_that_utf8_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="not a valid character"):
        digest("a\ud800")


def test_bottomless_nesting_is_refused():
    value: list[object] = []
    value.append(value)
    with pytest.raises(ValueError, match="nested deeper"):
        digest(value)  # type: ignore[arg-type]  # a list that holds itself has no JSON type


@given(json_values)
def test_a_plain_copy_has_the_same_digest_and_shares_nothing(value):
    copy = plain(value)
    assert (copy, digest(copy)) == (value, digest(value))
    assert copy is not value or not isinstance(value, list | dict)


def test_a_tuple_is_a_list():
    assert plain({"a": (1, (2,))}) == {"a": [1, [2]]}
