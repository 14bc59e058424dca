"""What a test's last outcome says about the test as it is now."""

import pytest

from pactkeeper.intent.evidence_state import (
    TestOutcomeRow,
    backing_by_atom,
    evidence_by_atom,
    evidence_by_test,
    evidence_of,
    state_counts,
)
from pactkeeper.intent.links import link_tests
from tests.reconcile.worlds import FILE, a_pact, a_record, a_test, an_atom

AT = "2026-01-01T00:00:00+00:00"


def row(name="test_login", outcome="passed", *, body="b1:one", blob="f1", commit="c" * 40):
    return TestOutcomeRow(f"{FILE}::{name}", body, commit, outcome, AT, "junit.xml", blob)


@pytest.mark.parametrize(("outcome", "state"), [("passed", "proven"), ("failed", "failing"), ("error", "failing")])
def test_outcome_of_an_unchanged_test_counts(outcome, state):
    assert evidence_of(a_test(), row(outcome=outcome), "f1").state == state


def test_test_without_an_outcome_has_no_evidence():
    assert evidence_of(a_test(), None, "f1").state == "none"


@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_outcome_is_stale_once_the_body_changed(outcome):
    found = evidence_of(a_test(body="b1:two"), row(outcome=outcome), "f1")
    assert (found.state, found.reason) == ("stale", "its body changed since")


def test_outcome_is_stale_once_the_file_changed():
    found = evidence_of(a_test(), row(), "f2")
    assert (found.state, found.reason) == ("stale", "its file changed since")


@pytest.mark.parametrize(
    ("outcome", "commit", "clean", "state"),
    [
        ("failed", "", True, "stale"),
        ("failed", "", False, "failing"),
        ("failed", "c" * 40, True, "failing"),
        ("passed", "", True, "proven"),
    ],
)
def test_failure_among_uncommitted_changes_ends_with_them(outcome, commit, clean, state):
    assert evidence_of(a_test(), row(outcome=outcome, commit=commit), "f1", clean=clean).state == state


@pytest.mark.parametrize(("then", "now"), [("", "f2"), ("f1", None)])
def test_file_that_is_not_known_makes_nothing_stale(then, now):
    assert evidence_of(a_test(), row(blob=then), now).state == "proven"


def states(outcomes):
    """States by test id, all of one file; a test without an outcome has None."""
    tests = [a_test(name) for name in outcomes]
    rows = {f"{FILE}::{name}": row(name, outcome) for name, outcome in outcomes.items() if outcome}
    return tests, evidence_by_test(tests, rows, lambda _: "f1")


def judged(outcomes):
    tests, found = states(outcomes)
    pact = a_pact(an_atom("IA-1"), records=[a_record(name, atoms=["IA-1"]) for name in outcomes])
    return evidence_by_atom(link_tests(tests, pact), found, pact)["IA-1"]


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        ({"a": "passed", "b": "failed"}, "failing"),
        ({"a": "passed", "b": "passed"}, "proven"),
        ({"a": "passed", "b": None}, "proven"),
        ({"a": None, "b": None}, "none"),
    ],
)
def test_atom_is_as_its_most_telling_test(outcomes, state):
    assert judged(outcomes).state == state


def test_atom_names_the_tests_that_prove_it():
    assert judged({"b": "passed", "a": "passed", "c": None}).tests == {
        "proven": (f"{FILE}::a", f"{FILE}::b"),
        "none": (f"{FILE}::c",),
    }


def test_atom_without_a_test_has_no_evidence():
    pact = a_pact(an_atom("IA-1"))
    assert evidence_by_atom((), {}, pact)["IA-1"].state == "none"


def test_superseded_atom_is_not_judged():
    pact = a_pact(an_atom("IA-1"), an_atom("IA-2", supersedes="IA-1"))
    assert set(evidence_by_atom((), {}, pact)) == {"IA-2"}


def test_states_are_counted_with_zeros():
    _, found = states({"a": "passed", "b": None})
    assert state_counts(one.state for one in found.values()) == {"proven": 1, "failing": 0, "stale": 0, "none": 1}


def proof(outcomes, *, changed=(), gone=(), unseen=()):
    tests, found = states(outcomes)
    records = [a_record(name, atoms=["IA-1"], body="b1:then" if name in changed else "b1:one") for name in outcomes]
    pact = a_pact(an_atom("IA-1"), records=[*records, *(a_record(name, atoms=["IA-1"]) for name in gone)])
    return backing_by_atom(link_tests(tests, pact), found, pact, unseen)["IA-1"]


def test_an_atom_is_proven_by_each_test_that_is_as_it_was_reviewed_and_did_not_fail():
    found = proof({"test_a": "passed", "test_b": None, "test_c": "failed", "test_d": None}, changed={"test_d"})
    assert (found.tests, found.backed) == ((f"{FILE}::test_a", f"{FILE}::test_b"), True)


@pytest.mark.parametrize(
    ("given", "lacks"),
    [
        (proof({}), "no test is linked to it"),
        (proof({}, gone={"test_a"}), f"{FILE}::test_a is gone"),
        (proof({}, gone={"test_a"}, unseen={FILE}), f"the file of {FILE}::test_a could not be read completely"),
        (proof({"test_a": None}, changed={"test_a"}), f"{FILE}::test_a changed since it was reviewed"),
        (proof({"test_a": "failed"}), f"{FILE}::test_a failed in its last known run"),
    ],
    ids=["never", "gone", "unread", "changed", "failed"],
)
def test_an_unproven_atom_says_what_became_of_its_tests(given, lacks):
    assert (given.backed, given.lacks) == (False, lacks)


def test_a_reason_names_a_few_tests_and_counts_the_rest():
    assert proof(dict.fromkeys([f"test_{one}" for one in "abcde"], "failed")).lacks.endswith("run; and 2 more")
