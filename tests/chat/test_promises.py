"""Which promises tests prove, and which they do not."""

import pytest

from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.evidence import import_evidence
from pactkeeper.workspace import open_workspace
from tests.chat.test_asking import said

TEST = "tests/test_login.py::test_expired_token_is_refused"
AT = "2030-01-01T00:00:00+00:00"
INVOICE = """[IA-INVOICE]
intent = "An invoice is sent."
status = "draft"
"""


RED = """<testsuite><testcase classname="tests.test_login" name="test_expired_token_is_refused">
<failure message="no error"/></testcase></testsuite>"""


@pytest.fixture
def broken(promised, tmp_path):
    """The same shop after a run in which the test of a committed atom failed; the report is kept elsewhere."""
    report = tmp_path / "junit.xml"
    report.write_text(RED)
    with open_workspace(promised.root, notice=print) as opened:
        import_evidence(opened, (str(report),))
    return promised


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
    assert "Backed is not passed: a run is known of 0 of 1 linked test." in said(found)
    assert f"An expired token is refused. – backed, never run: {TEST}" in said(found)
    assert "An invoice is sent." not in said(found)


def test_what_was_promised_is_told_by_its_sentences_and_beside_what_tickets_of_those_days_want(promised):
    wanted = (
        '[IA-SAY0001]\nintent = "A letter is sent."\nstatus = "proposed"\nsource = "ticket"\norigin = "tasks/a.md"\n'
    )
    promised.write("pact/atoms/tickets.toml", wanted)
    told = said(promised.ask("what was promised since 2029-12-31?"))
    assert "IA-INVOICE (committed in COM-" in told
    assert "A ticket wants it, and nobody has committed it: IA-SAY0001 (proposed): A letter is sent." not in told
    week = said(promised.ask("what was promised this week?"))
    assert "A ticket wants it, and nobody has committed it: IA-SAY0001 (proposed): A letter is sent." in week
    promised.git("add", "--all")
    promised.git("commit", "--quiet", "--message", "Propose")
    assert said(promised.ask("what was promised this week?")) == week


@pytest.mark.parametrize("question", ["what is not proven?", "which commitments lack a test?"])
def test_unproven_promises_are_listed_with_the_reason(promised, question):
    found = promised.ask(question)
    assert (found["verb"], found["command"]) == ("unbacked_atoms", "pk atom list --backing unbacked")
    assert "An invoice is sent. – not backed: no test is linked to it" in said(found)
    assert "An expired token is refused." not in said(found)


def test_a_promise_whose_test_got_weaker_or_vanished_is_unproven(promised):
    promised.write("tests/test_login.py", "def test_expired_token_is_refused():\n    assert True\n")
    assert f"not backed: {TEST} got weaker since it was reviewed" in said(promised.ask("what is not proven?"))
    promised.write("tests/test_login.py", "")
    assert f"not backed: {TEST} is gone" in said(promised.ask("what is not proven?"))


@pytest.mark.parametrize("question", ["which promises are proven?", "is the expired token promise proven?"])
def test_a_failing_promise_is_listed_first_where_somebody_asks_for_proven_ones(broken, question):
    lines = said(broken.ask(question)).splitlines()
    assert any("An expired token is refused. – failed: " in one for one in lines)


def test_a_word_of_the_question_that_an_atom_has_does_not_narrow_the_count(promised):
    promised.write("pact/atoms/refund.toml", '[IA-REFUND1]\nintent = "A voucher is paid back."\nstatus = "draft"\n')
    found = promised.ask("which promises are not backed by a test?")
    assert (found["verb"], found["arguments"]) == ("unbacked_atoms", {})
    assert "Tests back 1 of 2 committed atoms; 1 unbacked." in said(found)


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("which promises are broken?", "failing_atoms"),
        ("which committed promises fail?", "failing_atoms"),
        ("what is failing?", "read_test_results"),
        ("is everything in agreement?", "check_repo"),
        ("what is broken?", "what_broke"),
    ],
)
def test_a_broken_promise_is_named_however_failures_are_asked_for(broken, question, verb):
    found = broken.ask(question)
    assert (found["kind"], found["verb"]) == ("answer", verb)
    assert f"{TEST}: its last known run, of " in said(found)
    assert "It should prove IA-LOGIN01 (committed in " in said(found)


def test_that_no_promise_fails_is_only_said_of_known_runs(promised):
    found = promised.ask("which promises are broken?")
    assert found["kind"] == "cannot_tell"
    assert "Tests without a known run as they are here: 1 of 1." in said(found)


def test_committed_atoms_are_listed_before_drafts(promised):
    drafts = "".join(f'[IA-A{number}]\nintent = "Draft {number} is made."\nstatus = "draft"\n' for number in range(9))
    promised.write("pact/atoms/a.toml", drafts)
    found = promised.ask("what is committed?")
    assert [one["text"][:23] for one in found["says"][1:3]] == ["IA-INVOICE (committed i", "IA-LOGIN01 (committed i"]
    assert "3 more are not listed here; all: pk atom list" in found["limitations"]


@pytest.mark.parametrize("question", ["why is main red?", "who broke main?"])
def test_the_main_branch_stands_for_all_tests_and_not_for_its_name(broken, question):
    broken.git("branch", "--move", "main")
    assert f"{TEST}: its last known run, of" in said(broken.ask(question))
