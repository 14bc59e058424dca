import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.transcripts.reconciling.saying import compare, matches


@pytest.mark.parametrize(
    ("one", "other", "sameness"),
    [
        ("Send invoice to Alice for March", "Send invoice to Bob for April", "different"),
        ("Send invoice to Alice", "Send invoice to Bob", "different"),
        ("Send invoice for March", "Send invoice for April", "different"),
        ("Envoyer la facture de mars", "Envoyer la facture d'avril", "different"),
        ("Renew the passport", "Passport renewal appointment", "perhaps"),
        ("Renew the passport", "Renew passport", "same"),
        ("Renew the passport", "[daemon] Renew the **passport**", "same"),
        ("Ordering supplements ($66.33)", "Backup payment method", "unrelated"),
        ("Ordering supplements ($66.33)", "Ordering supplements ($12.00)", "different"),
        ("Ordering supplements ($66.33)", "Ordering supplements", "perhaps"),
        ("Fix EARTH-294", "Fix EARTH-295", "different"),
        ("EARTH-294 profile fields", "Profile fields of EARTH-294", "same"),
        ("Release version 1.2", "Release version 1.3", "different"),
        ("Enable dark mode", "Disable dark mode", "perhaps"),
        ("Send Jörg the response", "Send the invoice to Jörg", "unrelated"),
        ("Add a button", "Add a table", "unrelated"),
        ("Passprot renewal", "Passport renewal", "perhaps"),
        ("Rechnung für März schicken", "Rechnung für April schicken", "different"),
    ],
)
def test_fields_decide_and_likeness_only_asks(one, other, sameness):
    assert compare(one, other).sameness == sameness


@given(st.text(max_size=40), st.text(max_size=40))
def test_comparing_does_not_depend_on_the_side(one, other):
    assert compare(one, other).sameness == compare(other, one).sameness


def test_the_likeliest_comes_first_whatever_the_order():
    titles = ["Passport renewal appointment", "Renew passport of the cat", "Buy milk"]
    for order in (titles, titles[::-1]):
        found = matches("Renew the cat's passport", order, str)
        assert found.same == ()
        assert [title for title, _ in found.perhaps] == ["Renew passport of the cat", "Passport renewal appointment"]
