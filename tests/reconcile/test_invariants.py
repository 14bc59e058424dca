"""Invariants in a check and in a run."""

from dataclasses import replace
from datetime import date

import pytest

from pactkeeper.intent.atoms import Molecule
from pactkeeper.intent.links import link_tests
from pactkeeper.intent.pact import Invariant, Waiver
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Question
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.commitments import Base, CommitmentFacts
from pactkeeper.reconcile.invariants import run_findings
from pactkeeper.reconcile.world import World
from tests.reconcile.worlds import FILE, a_gap, a_pact, a_record, a_scan, a_test, an_atom, note

TODAY = date(2026, 6, 1)
LINKED = a_test(annotations=[note("IA-1")])
REVIEWED = (a_record(annotated=["IA-1"]),)
TWO_TESTS = Invariant("INV-101", "Two tests each.", every="atom", needs={"min_tests": 2}, code="ACME101")


def verdict(pact, tests=(LINKED,), gaps=()):
    return check(link_tests(tests, pact), pact, list(gaps), today=TODAY)


def with_rules(pact, *rules):
    return replace(pact, invariants={rule.id: rule for rule in rules})


def codes(found):
    return [entry.finding.code for entry in found.findings]


def test_a_broken_rule_of_the_project_fails_the_check_where_its_subject_stands():
    found = verdict(with_rules(a_pact(an_atom()), TWO_TESTS))
    (entry,) = found.findings
    assert (entry.finding.code, entry.finding.invariant, entry.path) == ("ACME101", "INV-101", an_atom().path)
    assert not found.agrees


def test_a_warning_of_a_rule_leaves_the_check_in_agreement():
    assert verdict(with_rules(a_pact(an_atom()), replace(TWO_TESTS, severity="warning"))).agrees


def test_a_waiver_holds_a_broken_rule_back():
    waiver = Waiver("Ada", "soon", TODAY, code="ACME101", subject="IA-1")
    found = verdict(with_rules(a_pact(an_atom(), waivers=[waiver]), TWO_TESTS))
    assert (codes(found), len(found.waived)) == ([], 1)


def test_an_unreadable_home_accuses_no_atom_of_missing_tests():
    pact = with_rules(a_pact(an_atom(origin=f"{FILE}::test_login")), TWO_TESTS)
    assert codes(verdict(pact, gaps=[a_gap()])) == ["PK120"]


def test_a_committed_atom_without_outcome_breaks_a_built_in_rule():
    found = verdict(a_pact(an_atom(outcomes=()), committed=["IA-1"], records=REVIEWED))
    assert [(one.finding.code, one.finding.invariant) for one in found.findings] == [("PK302", "INV-002")]


def test_a_changed_committed_atom_is_told_once_and_under_its_rule():
    pact = replace(
        a_pact(an_atom(), committed=["IA-1"], records=REVIEWED),
        atoms={"IA-1": an_atom(intent="Something else.", outcomes=())},
    )
    found = verdict(pact)
    assert [(one.finding.code, one.finding.invariant) for one in found.findings] == [("PK201", "INV-004")]


def test_a_link_into_nothing_is_told_once():
    assert codes(verdict(a_pact(), [a_test(annotations=[note("IA-9")])])) == ["PK102"]


@pytest.mark.parametrize(("rule", "severity"), [("INV-003", "info"), ("INV-004", "warning")])
def test_a_built_in_rule_that_is_off_is_said_to_be_off(rule, severity):
    found = verdict(with_rules(a_pact(an_atom()), Invariant(rule, enabled=False)))
    assert [(one.finding.code, one.finding.subject, one.finding.severity) for one in found.findings] == [
        ("PK310", rule, severity)
    ]


def test_a_rule_that_is_off_or_milder_governs_the_findings_that_name_it():
    changed = replace(
        a_pact(an_atom(), committed=["IA-1"], records=REVIEWED), atoms={"IA-1": an_atom(intent="Something else.")}
    )
    off = verdict(with_rules(changed, Invariant("INV-004", enabled=False)))
    mild = verdict(with_rules(changed, Invariant("INV-004", severity="warning")))
    assert codes(off) == ["PK310"]
    assert [(one.finding.code, one.finding.severity) for one in mild.findings] == [("PK201", "warning")]


def test_a_verdict_lists_every_rule_with_how_it_was_judged():
    proven = Invariant("INV-102", every="test", needs={"proven": True})
    rules = {one.id: one for one in verdict(with_rules(a_pact(an_atom()), TWO_TESTS, proven)).rules}
    assert (rules["INV-101"].status, rules["INV-101"].text) == ("failed", "Two tests each.")
    assert (rules["INV-102"].status, rules["INV-001"].status) == ("not checked", "passed")
    assert list(rules)[-2:] == ["INV-101", "INV-102"]


def test_a_rule_about_molecules_warns_at_most():
    rule = Invariant("INV-101", every="molecule", needs={"min_atoms": 2})
    pact = replace(with_rules(a_pact(an_atom()), rule), molecules={"M-1": Molecule("M-1", "Login", ("IA-1",))})
    assert [(one.finding.code, one.finding.severity) for one in verdict(pact).findings] == [("INV-101", "warning")]


# a run


def updating(name):
    return Op("updateAtom", f"atom:{name}", "v1:" + "0" * 64, {"atomId": name, "description": "Something else."})


def world(*tests, pact=None):
    return World.of(a_scan(*tests), pact or a_pact(an_atom(), committed=["IA-1"], records=REVIEWED))


def test_a_run_that_would_rewrite_a_committed_atom_carries_the_finding():
    (finding,) = run_findings(world(LINKED), (updating("IA-1"),), (), changed=frozenset(), state={})
    assert (finding.code, finding.invariant) == ("PK311", "R001")


def test_a_changed_test_that_a_run_left_out_travels_as_a_finding():
    orphan = a_test("test_new")
    left = run_findings(world(orphan), (), (), changed=frozenset({orphan.id}), state={})
    assert [(one.code, one.subject) for one in left] == [("PK312", orphan.id)]
    asked = Question("word_test", orphan.id, {})
    assert run_findings(world(orphan), (), (asked,), changed=frozenset({orphan.id}), state={}) == ()


def test_a_full_scan_leaves_nothing_to_say_about_a_delta():
    assert run_findings(world(a_test("test_new")), (), (), changed=None, state={}) == ()


def test_bulk_in_the_state_of_a_run_travels_as_a_finding():
    (finding,) = run_findings(world(LINKED), (), (), changed=None, state={"input": "x" * 2_000})
    assert (finding.code, finding.subject) == ("PK315", "input")


# which words are judged


def test_a_check_judges_the_words_of_commitments_that_are_new():
    pact = a_pact(an_atom(intent="A login takes TBD seconds."), committed=["IA-1"], records=REVIEWED)
    linked = link_tests([LINKED], pact)
    new, old = Base("commit abc", {}), Base("commit abc", {}, ids=frozenset(pact.commitments))
    judged = {
        name: check(linked, pact, [], today=TODAY, known=CommitmentFacts(base=base))
        for name, base in (("new", new), ("old", old))
    }
    assert codes(judged["new"]) == ["PK303"]
    assert codes(judged["old"]) == []
    assert {one.id: one.status for one in judged["old"].rules}["INV-003"] == "not checked"
