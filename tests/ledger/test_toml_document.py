import tomllib

import pytest

from pactkeeper.ledger.documents import MOST_PARTS, read_toml


def test_toml_is_read_as_it_stands():
    assert read_toml('a.b = 1\n"c.d" = ["x.y.z"]\n') == {"a": {"b": 1}, "c.d": ["x.y.z"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "9" * 5000, "4300 digits"),
        (".".join("a" * 8000) + " = 1", f"more than {MOST_PARTS} dotted parts"),
        ("x = {" + ".".join("a" * 8000) + " = 1}", f"more than {MOST_PARTS} dotted parts"),
        ("[" + " . ".join(["'a'"] * 8000) + "]", f"more than {MOST_PARTS} dotted parts"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = 2026-99-99", "at line 1"),
        ("a.b = [[{c = 9223372036854775808}]]", "64 bits"),
        ("a = -0b1\nb = 0x8000_0000_0000_0000", "at line 1"),
        ("a = 0x8000_0000_0000_0000", "64 bits"),
    ],
)
def test_what_cannot_be_read_is_one_kind_of_error(text, said):
    with pytest.raises(tomllib.TOMLDecodeError, match=said):
        read_toml(text)


def test_every_integer_of_64_bits_is_read():
    text = "a = 9223372036854775807\nb = -9223372036854775808\nc = 0xffff_ffff\n"
    assert read_toml(text) == {"a": 2**63 - 1, "b": -(2**63), "c": 0xFFFFFFFF}


def test_dots_in_a_sentence_are_no_key():
    assert read_toml('a = "' + "x." * 500 + '"')["a"]
