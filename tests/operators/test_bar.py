"""Which sentences are proposed, and which stay candidates for a person."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.words import wanting_words
from tests.operators.conftest import ADDS, FILE


def proposed(shop):
    return {op.payload["description"] for op in shop.reconcile().patch.ops if op.verb == "createAtom"}


def test_a_sentence_of_a_docstring_is_proposed_and_a_name_stays_a_candidate(shop, monkeypatch):
    monkeypatch.delenv("PACTKEEPER_THRESHOLD")
    stated = "An expired token is refused with the status 401."
    shop.replace(FILE, "    assert login", f'    """{stated}"""\n    assert login')
    assert proposed(shop) == {stated}
    with shop.open() as workspace:
        (wanting,) = wanting_words(workspace).rows
    assert (wanting.test, wanting.drafts) == (ADDS, ("Shop: adds two numbers.",))
    assert wanting.why == "only its name says what it is for, but a name counts only once a person confirms it."


def test_the_environment_sets_another_bar_where_the_pact_sets_none(shop, monkeypatch):
    monkeypatch.setenv("PACTKEEPER_THRESHOLD", "0.9")
    assert proposed(shop) == set()

    shop.write("pact/pact.toml", "[pact]\nformat = 1\n\n[inference]\nthreshold = 0.3\n")
    assert proposed(shop) == {"Expired token is refused.", "Shop: adds two numbers."}


def test_a_bar_that_is_no_share_is_refused(shop, monkeypatch):
    monkeypatch.setenv("PACTKEEPER_THRESHOLD", "80")

    with pytest.raises(UsageError, match="'80', not a number from 0 to 1"):
        shop.world()
