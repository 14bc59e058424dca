"""Which promises tests prove, and which they do not."""

import pytest

from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.workspace import open_workspace
from tests.chat.test_asking import said

TEST = "tests/test_login.py::test_expired_token_is_refused"
AT = "2030-01-01T00:00:00+00:00"
INVOICE = """[IA-INVOICE]
intent = "An invoice is sent."
status = "draft"
"""


@pytest.fixture
def promised(shop):
    """A shop with two committed atoms, one of them with a reviewed test."""
    shop.write("pact/atoms/invoice.toml", INVOICE)
    with open_workspace(shop.root, notice=print) as opened:
        accept_tests(opened, (TEST,), AcceptedWords(atom="IA-LOGIN01"))
        atoms = list(opened.pact(opened.snapshot()).atoms.values())
    made = new_commitment(atoms, by="Ada", at=AT, assurance="terminal", overrides={}, after={})
    shop.write(commitment_path(made.id), commitment_text(made))
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "Promise")
    return shop


@pytest.mark.parametrize("question", ["which promises are proven?", "which of our commitments do tests prove?"])
def test_proven_promises_are_listed_with_their_tests_and_the_others_counted(promised, question):
    found = promised.ask(question)
    assert (found["kind"], found["verb"]) == ("answer", "backed_atoms")
    assert "Tests back 1 of 2 committed atoms; 1 unbacked." in said(found)
    assert f"An expired token is refused. – backed by {TEST}" in said(found)
    assert "An invoice is sent." not in said(found)


@pytest.mark.parametrize("question", ["what is not proven?", "which commitments lack a test?"])
def test_unproven_promises_are_listed_with_the_reason(promised, question):
    found = promised.ask(question)
    assert (found["verb"], found["command"]) == ("unbacked_atoms", "pk atom list --backing unbacked")
    assert "An invoice is sent. – no test backs it: no test is linked to it" in said(found)
    assert "An expired token is refused." not in said(found)


def test_a_promise_whose_test_got_weaker_or_vanished_is_unproven(promised):
    promised.write("tests/test_login.py", "def test_expired_token_is_refused():\n    assert True\n")
    assert f"no test backs it: {TEST} got weaker since it was reviewed" in said(promised.ask("what is not proven?"))
    promised.write("tests/test_login.py", "")
    assert f"no test backs it: {TEST} is gone" in said(promised.ask("what is not proven?"))


def test_a_word_of_the_question_that_an_atom_has_does_not_narrow_the_count(promised):
    promised.write("pact/atoms/refund.toml", '[IA-REFUND1]\nintent = "A voucher is paid back."\nstatus = "draft"\n')
    found = promised.ask("which promises are not backed by a test?")
    assert (found["verb"], found["arguments"]) == ("unbacked_atoms", {})
    assert "Tests back 1 of 2 committed atoms; 1 unbacked." in said(found)
