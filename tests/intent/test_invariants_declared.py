"""Rules that a project declares: whom they are about, what they ask for, and what they say when it is missing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.catalog import schema
from pactkeeper.intent.atoms import CATEGORIES, Molecule
from pactkeeper.intent.evidence_state import TestEvidenceState
from pactkeeper.intent.invariants import CommitRequest, Facts, declared, evaluate, setting_of
from pactkeeper.intent.invariants.declared import NEEDS, contexts_of, fix_of, in_words
from pactkeeper.intent.invariants.items import _CONDITIONS
from pactkeeper.intent.links import link_tests
from pactkeeper.intent.pact import Invariant
from pactkeeper.intent.quality.values import Quality
from pactkeeper.intent.signatures import Unverified
from tests.reconcile.worlds import FILE, a_commitment, a_pact, a_record, a_test, an_atom, note

ONE = an_atom("IA-1", category="security", tags=("login",), origin=f"{FILE}::test_login")
TWO = an_atom("IA-2", "A logout works.", source="agent")
LINKED = a_test("test_login", annotations=[note("IA-1")])
OTHER = a_test("test_other", file="web/other.test.ts", annotations=[note("IA-2")])
ORPHAN = a_test("test_orphan", body="b1:two")
TESTS = (LINKED, OTHER, ORPHAN)


def facts(*rules, atoms=(ONE, TWO), tests=TESTS, committed=(), records=(), molecules=(), **known):
    pact = a_pact(*atoms, committed=committed, records=records)
    pact = replace(pact, invariants={rule.id: rule for rule in rules}, molecules={one.id: one for one in molecules})
    return Facts(pact, None if tests is None else link_tests(tests, pact), at="2026-02-01", **known)


def rule(every, *, where=None, needs=None, **fields):
    return Invariant("INV-101", every=every, where=where or {}, needs=needs or {}, **fields)


def judged(declared, **known):
    (found,) = evaluate(facts(declared, **known), only=("INV-101",), assess=lambda _: Quality(85, "approve"))
    return found


def broken_by(declared, **known):
    return [one.subject for one in judged(declared, **known).findings]


def said(declared, **known):
    return judged(declared, **known).findings[0].message.partition(" (")[0]


def test_every_key_that_can_be_written_can_be_judged_and_worded():
    assert set(_CONDITIONS) == set(declared.WHERE) == {key.name for key in schema.WHERE}
    assert set(NEEDS) == set(declared.NEED_PHRASES) == {key.name for key in schema.NEEDS}


# whom a rule is about


@pytest.mark.parametrize(
    ("where", "subjects"),
    [
        ({}, ["IA-1", "IA-2"]),
        ({"category": ("security", "usability")}, ["IA-1"]),
        ({"tag": ("login", "billing")}, ["IA-1"]),
        ({"source": ("agent",)}, ["IA-2"]),
        ({"status": ("draft",)}, ["IA-1", "IA-2"]),
        ({"status": ("committed",)}, []),
        ({"path": ("tests/**",)}, ["IA-1"]),
        ({"path": ("web",)}, ["IA-2"]),
        ({"framework": ("jest",)}, []),
        ({"language": ("python",)}, ["IA-1", "IA-2"]),
        ({"category": ("security",), "source": ("agent",)}, []),
    ],
)
def test_conditions_choose_atoms(where, subjects):
    assert broken_by(rule("atom", where=where, needs={"min_tests": 9})) == subjects


@pytest.mark.parametrize(
    ("where", "subjects"),
    [
        ({}, [ORPHAN.id]),
        ({"path": ("web/**",)}, []),
        ({"path": ("tests/test_login.py",)}, [ORPHAN.id]),
        ({"category": ("security",)}, []),
    ],
)
def test_every_test_under_a_path_is_linked(where, subjects):
    assert broken_by(rule("test", where=where, needs={"min_atoms": 1})) == subjects


def test_a_test_lies_where_it_is_and_not_where_its_atom_came_from():
    elsewhere = a_test("test_login", file="web/other.test.ts", annotations=[note("IA-1")])
    declared = rule("test", where={"path": (FILE,)}, needs={"min_atoms": 9})
    assert broken_by(declared, tests=(elsewhere,)) == []


def test_tests_are_chosen_by_the_atoms_they_are_linked_to():
    declared = rule("test", where={"status": ("committed",)}, needs={"proven": True})
    assert broken_by(declared, committed=["IA-2"], evidence={}) == [OTHER.id]


@pytest.mark.parametrize(("since", "subjects"), [("2026-01-01", ["IA-1"]), ("2026-01-02", [])])
def test_atoms_are_chosen_by_the_day_of_their_commitment(since, subjects):
    declared = rule("atom", where={"since": since}, needs={"signed": True})
    assert broken_by(declared, committed=["IA-1"]) == subjects


@pytest.mark.parametrize("every", ["commitment", "atom"])
def test_a_rule_that_a_commitment_overrode_with_a_reason_is_no_error_for_good(every):
    declared = rule(every, needs={"by": ("Petra",)})
    made = a_commitment(an_atom("IA-1"), overrides={declared.id: "Petra is away"})
    pact = replace(a_pact(an_atom("IA-1")), commitments={made.id: made}, invariants={declared.id: declared})
    (found,) = evaluate(Facts(pact), only={declared.id})
    assert (found.status, found.findings) == ("passed", ())
    assert "1 more by an override" in found.reason
    plain = replace(pact, commitments={made.id: replace(made, overrides=None)})
    (found,) = evaluate(Facts(plain), only={declared.id})
    assert [one.subject for one in found.findings] == [made.id if every == "commitment" else "IA-1"]
    assert "pk commit COM" not in found.findings[0].fix


@pytest.mark.parametrize(("by", "subjects"), [("Ada <ada@example.org>", ["IA-1"]), ("Bob", [])])
def test_atoms_are_chosen_by_who_committed(by, subjects):
    assert broken_by(rule("atom", where={"by": (by,)}, needs={"min_tests": 9}), committed=["IA-1"]) == subjects


def test_retired_atoms_are_left_alone_unless_their_status_is_named():
    atoms = (an_atom("IA-1", status="abandoned"), TWO)
    assert broken_by(rule("atom", needs={"min_tests": 9}), atoms=atoms) == ["IA-2"]
    named = rule("atom", where={"status": ("abandoned",)}, needs={"min_tests": 9})
    assert broken_by(named, atoms=atoms) == ["IA-1"]


# what a rule asks for


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ({"min_tests": 2}, "has 1 linked test, needs at least 2"),
        ({"min_outcomes": 3}, "has 1 outcome, needs at least 3"),
        ({"min_falsifiers": 3}, "has 1 falsifier, needs at least 3"),
        ({"min_quality": 90}, "has quality 85, needs at least 90"),
        ({"category": ("usability",)}, "is in category security, not in usability"),
        ({"tags": ("login", "web")}, "has no tag web"),
        ({"committed": True}, "is not committed"),
        ({"signed": True}, "is not committed"),
        ({"by": ("Ada",)}, "is not committed"),
        ({"reviewed": True}, f"{LINKED.id} has links not reviewed in their current state"),
        ({"carrier": ("sidecar",)}, f"{LINKED.id} is linked in a comment, not in a sidecar"),
        ({"path": ("web/**",)}, f"{LINKED.id} is not under web/**"),
    ],
)
def test_what_is_missing_is_said(needs, message):
    declared = rule("atom", where={"category": ("security",)}, needs=needs)
    assert said(declared) == message
    assert judged(declared).findings[0].fix


@pytest.mark.parametrize(
    "needs",
    [
        {"min_tests": 1, "max_tests": 1},
        {"min_outcomes": 1, "min_falsifiers": 1, "min_quality": 85},
        {"category": ("security", "usability"), "tags": ("login",), "committed": False, "signed": False},
        {"carrier": ("comment", "tag"), "path": ("tests/**",), "reviewed": False},
    ],
)
def test_what_is_there_holds(needs):
    found = judged(rule("atom", where={"category": ("security",)}, needs=needs))
    assert (found.status, found.reason) == ("passed", "held by 1 atom")


def test_too_many_are_said_as_well():
    tests = (LINKED, a_test("test_more", annotations=[note("IA-1")]))
    assert said(rule("atom", needs={"max_tests": 1}), tests=tests) == "has 2 linked tests, may have 1 at most"
    both = (a_test("test_login", annotations=[note("IA-1", "IA-2")]),)
    assert said(rule("test", needs={"max_atoms": 1}), tests=both) == "has 2 atoms, may have 1 at most"


def test_a_committed_atom_is_signed_by_one_of_those_named():
    declared = rule("atom", where={"status": ("committed",)}, needs={"signed": True, "by": ("Bob",)})
    found = judged(declared, committed=["IA-1"]).findings[0].message
    assert "is committed without a signature that holds" in found
    assert "was committed by Ada <ada@example.org>, not by Bob" in found


def test_a_signature_that_does_not_hold_is_none():
    signed = a_commitment(ONE, signature="…", assurance="signed")
    declared = rule("atom", where={"status": ("committed",)}, needs={"signed": True})
    known = facts(declared)
    known = replace(known, pact=replace(known.pact, commitments={signed.id: signed}))
    (held,) = evaluate(known, only=("INV-101",))
    forged = {signed.id: Unverified("forged", "no signature over these bytes")}
    (broken,) = evaluate(replace(known, verified=forged), only=("INV-101",))
    assert (held.status, broken.status) == ("passed", "failed")


def test_a_later_signed_commitment_of_the_same_words_counts():
    first, second = (
        a_commitment(ONE),
        a_commitment(ONE, at="2026-02-01T00:00:00+00:00", signature="…", assurance="signed"),
    )
    known = facts(rule("atom", where={"status": ("committed",)}, needs={"signed": True}))
    known = replace(known, pact=replace(known.pact, commitments={one.id: one for one in (first, second)}))
    assert evaluate(known, only=("INV-101",))[0].status == "passed"


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (TestEvidenceState("none", "no result is known"), "has no known outcome"),
        (TestEvidenceState("stale", "its body changed since"), "was not run as it is now: its body changed since"),
        (TestEvidenceState("failing"), "fails"),
    ],
)
def test_a_test_that_did_not_pass_as_it_is_now_is_not_proven(state, message):
    declared = rule("test", where={"path": ("web/**",)}, needs={"proven": True})
    assert said(declared, evidence={OTHER.id: state}) == message
    assert judged(declared, evidence={OTHER.id: TestEvidenceState("proven")}).status == "passed"


def test_a_reviewed_link_is_one_that_somebody_saw_with_this_body():
    declared = rule("test", where={"path": ("tests/**",), "tag": ("login",)}, needs={"reviewed": True})
    assert judged(declared, records=[a_record(annotated=["IA-1"])]).status == "passed"
    assert judged(declared, records=[a_record(annotated=["IA-1"], body="b1:old")]).status == "failed"


def test_molecules_and_commitments_have_what_each_of_their_atoms_has():
    molecule = Molecule("M-1", "Login", ("IA-1", "IA-2"))
    assert said(rule("molecule", needs={"category": ("security",)}), molecules=[molecule]) == (
        "IA-2 is in category functional, not in security"
    )
    signed = rule("commitment", needs={"signed": True, "max_atoms": 1})
    assert said(signed, committed=["IA-1", "IA-2"]) == (
        "is committed without a signature that holds; has 2 atoms, may have 1 at most"
    )


# what is not known here


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (rule("test", needs={"min_atoms": 1}), "tests are unknown here"),
        (rule("atom", needs={"min_tests": 1}), "tests are unknown here"),
        (rule("atom", where={"path": ("x",)}, needs={"committed": True}), "tests are unknown here"),
        (rule(None, rule="No personal data in logs."), "it is in words, which no key can check"),
    ],
)
def test_without_tests_a_rule_about_them_is_not_checked(declared, reason):
    assert (judged(declared, tests=None).status, judged(declared, tests=None).reason) == ("not checked", reason)


def test_without_history_nothing_is_called_unproven():
    found = judged(rule("test", needs={"proven": True}))
    assert (found.status, found.findings) == ("not checked", ())


def test_tests_that_may_stand_in_an_unreadable_file_are_not_called_missing():
    declared = rule("atom", where={"tag": ("login",)}, needs={"min_tests": 2})
    assert broken_by(declared, unseen=frozenset({FILE})) == []
    assert broken_by(declared, unseen=frozenset({"elsewhere.py"})) == ["IA-1"]


# findings and standing


def test_a_finding_has_the_projects_code_and_names_the_rule_and_the_place():
    declared = rule("atom", needs={"min_tests": 2}, rule="Two tests each.", code="ACME101", severity="warning")
    found = judged(declared).findings[0]
    assert (found.code, found.invariant, found.about, found.severity) == ("ACME101", "INV-101", "INV-101", "warning")
    assert found.message == "has 1 linked test, needs at least 2 (Two tests each.)"
    assert (found.evidence[0].path, found.evidence[0].line) == (ONE.path, 1)
    assert found.fix == "paste above one more test: @atom IA-1"


def test_two_rules_of_one_code_are_two_findings():
    rules = [replace(rule("atom", needs={"min_tests": 2}), id=name, code="ACME101") for name in ("INV-1", "INV-2")]
    prints = {one.fingerprint for checked in evaluate(facts(*rules)) for one in checked.findings}
    assert len(prints) == 4


def test_without_a_code_the_id_is_the_code():
    assert setting_of(facts(rule("atom")).pact, "INV-101").code == "INV-101"


@pytest.mark.parametrize(("severity", "expected"), [(None, "warning"), ("error", "warning"), ("info", "info")])
def test_a_rule_about_molecules_never_blocks(severity, expected):
    declared = rule("molecule", needs={"min_atoms": 2}, severity=severity, blocking=True)
    found = setting_of(facts(declared).pact, "INV-101")
    assert (found.severity, found.blocking) == (expected, False)


def test_the_rule_in_words_is_the_projects_own_or_made_of_its_keys():
    made = rule("atom", where={"category": ("security",)}, needs={"min_tests": 2, "committed": True})
    assert in_words(made) == "Every atom in category security has at least 2 linked tests and is committed."
    assert in_words(replace(made, rule="Two tests.")) == "Two tests."
    assert fix_of(made) == "paste above one more test: @atom ID; pk commit ID"
    assert contexts_of(made)["commit"] == "the atoms to be committed"


# at the gate


def gate(declared, *atoms, **known):
    asked = CommitRequest(atoms, "Ada", "person", known.pop("assurance", "terminal"))
    (found,) = evaluate(replace(facts(declared, **known), commit=asked), only=("INV-101",))
    return found


def test_the_gate_judges_only_what_is_to_be_committed_and_as_if_it_were():
    declared = rule("atom", where={"status": ("committed",)}, needs={"min_tests": 2})
    assert [one.subject for one in gate(declared, "IA-2").findings] == ["IA-2"]
    assert broken_by(declared) == []


def test_the_gate_judges_the_tests_of_what_is_to_be_committed():
    declared = rule("test", needs={"path": ("tests/**",)})
    assert [one.subject for one in gate(declared, "IA-2").findings] == [OTHER.id]
    assert gate(declared, "IA-1").status == "passed"


@pytest.mark.parametrize(("assurance", "status"), [("terminal", "failed"), ("signed", "passed")])
def test_the_gate_knows_whether_the_commitment_will_be_signed(assurance, status):
    for every in ("atom", "commitment"):
        declared = rule(every, needs={"signed": True, "by": ("Ada",)})
        assert gate(declared, "IA-1", assurance=assurance).status == status


def test_no_molecule_stands_in_the_way_of_a_commit():
    declared = rule("molecule", needs={"min_atoms": 9})
    assert gate(declared, "IA-1", molecules=[Molecule("M-1", "Login", ("IA-1",))]).status == "passed"


# laws

atoms = st.builds(
    an_atom,
    st.integers(1, 6).map("IA-{}".format),
    category=st.sampled_from(CATEGORIES),
    status=st.sampled_from(["draft", "proposed", "abandoned"]),
    tags=st.lists(st.sampled_from(["a", "b"]), unique=True).map(tuple),
)
catalogs = st.lists(atoms, unique_by=lambda atom: atom.id, max_size=6)
tests_of_catalogs = st.lists(st.lists(st.integers(1, 7).map("IA-{}".format), unique=True, max_size=3), max_size=6).map(
    lambda linked: [a_test(f"test_{at}", annotations=[note(*names)]) for at, names in enumerate(linked)]
)


@given(catalogs, tests_of_catalogs, st.integers(1, 3), st.integers(1, 3))
def test_asking_for_more_breaks_at_least_as_much(catalog, tests, less, more):
    low, high = sorted((less, more))
    few = broken_by(rule("atom", needs={"min_tests": low}), atoms=catalog, tests=tests)
    many = broken_by(rule("atom", needs={"min_tests": high}), atoms=catalog, tests=tests)
    assert set(few) <= set(many)


@given(catalogs, tests_of_catalogs, st.sampled_from(CATEGORIES))
def test_a_narrower_rule_breaks_at_most_as_much(catalog, tests, category):
    wide = broken_by(rule("atom", needs={"min_tests": 1}), atoms=catalog, tests=tests)
    narrow = broken_by(
        rule("atom", where={"category": (category,)}, needs={"min_tests": 1}), atoms=catalog, tests=tests
    )
    assert set(narrow) <= set(wide)


@given(catalogs, tests_of_catalogs)
def test_judging_twice_says_the_same_and_a_failure_always_has_a_finding(catalog, tests):
    known = facts(rule("atom", needs={"min_tests": 1, "committed": True}), atoms=catalog, tests=tests)
    first = evaluate(known)
    assert first == evaluate(known)
    assert all((one.status == "failed") == bool(one.findings) for one in first)
    assert all(one.status == "failed" for one in first if one.blocking)


@given(catalogs, tests_of_catalogs)
def test_every_finding_of_a_rule_has_a_fingerprint_of_its_own(catalog, tests):
    known = facts(rule("test", needs={"min_atoms": 1, "max_atoms": 1, "committed": True}), atoms=catalog, tests=tests)
    prints = [one.fingerprint for checked in evaluate(known) for one in checked.findings]
    assert len(prints) == len(set(prints))
