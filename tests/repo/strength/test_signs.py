"""The words by which a text is passed over without being searched for a sign."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.repo.strength.switches.signs import SIGNS, Sign

WORDED = [sign for sign in SIGNS if sign.words]


@pytest.mark.parametrize("sign", WORDED, ids=[sign.words[0] for sign in WORDED])
@given(data=st.data())
def test_whatever_looks_like_a_sign_holds_one_of_its_words(sign: Sign, data: st.DataObject):
    looks = sign.looks.replace("*+", "*").replace("++", "+").replace("}+", "}")
    text = data.draw(st.from_regex(looks))
    assert any(word in text for word in sign.words)
