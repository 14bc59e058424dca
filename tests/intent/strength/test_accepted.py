"""Which patterns accept everything that another one accepts."""

import re

import pytest

from pactkeeper.intent.claims import Value
from pactkeeper.intent.strength.patterns import accepts_all

NARROWER = [
    ("full", "it is full"),
    ("line \\d+: .*viability", "^line 3: .*viability 1\\.2"),
    ("[0-9a-f]+", "^[0-9a-f]{12}$"),
    ("[0-9a-f]{4}", "[0-9a-f]{12}"),
    ("^a", "^ab+"),
    ("b$", "ab$"),
    ("^a?b$", "^b$"),
    ("\\w+", "[a-z]"),
    ("[^a]", "b"),
    ("a.c", "abc"),
]
NEITHER = [
    ("^full", "full"),
    ("full$", "full stop"),
    ("[0-9]{2}", "[0-9]"),
    ("[0-9]", "[0-9a-f]"),
    ("^a{1,2}$", "^a{1,3}$"),
    ("ab", "a.b"),
    ("a|b", "a"),
    ("(a)", "a"),
    ("[[:alpha:]]", "a"),
]


@pytest.mark.parametrize(("wide", "narrow"), NARROWER)
def test_a_pattern_that_says_less_accepts_all_that_the_other_accepts(wide, narrow):
    assert accepts_all(Value("regex", wide), Value("regex", narrow), whole=False)
    assert not accepts_all(Value("regex", narrow), Value("regex", wide), whole=False)


@pytest.mark.parametrize(("wide", "narrow"), NEITHER)
def test_a_pattern_is_not_taken_for_wider_without_proof(wide, narrow):
    assert not accepts_all(Value("regex", wide), Value("regex", narrow), whole=False)


@pytest.mark.parametrize("pattern", [wide for wide, _ in (*NARROWER, *NEITHER)])
@pytest.mark.parametrize("text", ["full", "it is full", "0f", "ab", "abc", "line 3: no viability", "aab", ""])
def test_what_accepts_a_whole_text_matches_it(pattern, text):
    if accepts_all(Value("regex", pattern), Value("string", text), whole=True):
        assert re.search(pattern, text)
