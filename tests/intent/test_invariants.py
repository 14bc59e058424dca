"""The built-in rules: each holds, each fails, and each says when it could not look."""

from dataclasses import replace

import pytest

from pactkeeper.intent.atoms import Clarification, Molecule
from pactkeeper.intent.ids import BUILT_IN_RULES
from pactkeeper.intent.invariants import RULES, CommitRequest, Facts, Refusal, Seal, evaluate, setting_of
from pactkeeper.intent.invariants.writes import ABSOLUTE
from pactkeeper.intent.links import link_tests
from pactkeeper.intent.pact import Invariant
from pactkeeper.intent.quality.values import MOST, Deduction, Dimension, Quality
from pactkeeper.intent.signatures import Unverified, Verified
from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Question
from pactkeeper.reconcile.codes import CODES
from tests.ledger.strategies import create
from tests.reconcile.worlds import a_commitment, a_pact, a_record, a_test, an_atom, note

ONE = an_atom("IA-1")
COMMITTED = a_pact(ONE, committed=["IA-1"])
TEST = "tests/test_login.py::test_login"


def quality(**points):
    """Full marks, but for the named criteria; `unambiguous=3` leaves three points, each loss with one deduction."""
    dimensions = []
    for name, most in MOST.items():
        left = points.get(name.replace(" ", "_").replace("-", "_"), most)
        lost = (Deduction(most - left, "quickly", "it has no measure", "give the measure"),) if left < most else ()
        dimensions.append(Dimension(name, left, most, lost))
    return Quality(sum(one.points for one in dimensions), "revise", tuple(dimensions))


def judged(name, facts, **points):
    (checked,) = evaluate(facts, only=(name,), assess=lambda _: quality(**points))
    return checked


def request(*atoms, by="Ada <ada@example.org>", actor="person", assurance="terminal", **overrides):
    return CommitRequest(atoms or ("IA-1",), by, actor, assurance, overrides)


def asking(*atoms, pact=None, **options):
    return Facts(pact or a_pact(ONE), (), commit=request(*atoms, **options), at="2026-02-01T00:00:00+00:00")


def test_every_built_in_rule_has_a_module_a_row_and_a_finding():
    assert tuple(RULES) == BUILT_IN_RULES
    assert all(name == rule.id and rule.code in CODES for name, rule in RULES.items())


@pytest.mark.parametrize("name", BUILT_IN_RULES)
def test_a_rules_code_says_which_rule_it_is_about_and_has_its_severity(name):
    rule = RULES[name]
    assert (CODES[rule.code].invariant, CODES[rule.code].severity) == (name, rule.severity)


def test_rules_that_cannot_be_overridden_are_those_whose_override_the_gate_refuses():
    assert {name for name, rule in RULES.items() if not rule.overridable} == ABSOLUTE


# INV-001


def test_commitments_of_persons_hold_explicit_commitment():
    assert judged("INV-001", Facts(COMMITTED)).status == "passed"


def test_a_commitment_that_names_no_person_is_not_explicit():
    nobody = a_commitment(ONE, by=" ")
    found = judged("INV-001", Facts(replace(COMMITTED, commitments={nobody.id: nobody})))
    assert [(one.code, one.subject, one.message) for one in found.findings] == [("PK301", nobody.id, "names no person")]


def test_a_commitment_that_somebody_edited_is_not_explicit():
    edited = replace(a_commitment(ONE), by="Bob")
    found = judged("INV-001", Facts(replace(COMMITTED, commitments={edited.id: edited})))
    assert [one.code for one in found.findings] == ["PK401"]


def test_a_committed_atom_cannot_be_abandoned():
    withdrawn = replace(COMMITTED, atoms={"IA-1": replace(ONE, status="abandoned")})
    assert [one.code for one in judged("INV-001", Facts(withdrawn)).findings] == ["PK301"]


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        (asking(by=""), "names no person"),
        (asking("IA-9"), "is to be committed, but is not in the pact"),
        (replace(asking(), commit=replace(request(), atoms=())), "names no atom"),
        (asking(pact=a_pact(replace(ONE, status="abandoned"))), "cannot be both committed and abandoned"),
    ],
)
def test_a_commit_that_leaves_open_who_or_what_is_not_explicit(facts, problem):
    (finding,) = judged("INV-001", facts).findings
    assert finding.message.startswith(problem)


# INV-002 and INV-003


@pytest.mark.parametrize("name", ["INV-002", "INV-003"])
@pytest.mark.parametrize("facts", [Facts(COMMITTED), asking()])
def test_good_words_hold(name, facts):
    assert judged(name, facts).status == "passed"


@pytest.mark.parametrize(
    ("name", "code", "criterion"),
    [
        ("INV-002", "PK302", "observable"),
        ("INV-002", "PK302", "falsifiable"),
        ("INV-003", "PK303", "unambiguous"),
        ("INV-003", "PK303", "implementation_agnostic"),
    ],
)
def test_a_weak_criterion_fails_and_cites_the_words_and_the_way_out(name, code, criterion):
    (finding,) = judged(name, asking(), **{criterion: 3}).findings
    assert (finding.code, finding.invariant) == (code, name)
    assert finding.message == "'quickly': it has no measure"
    assert finding.fix == "give the measure: pk atom edit IA-1"


def test_a_small_deduction_is_left_to_the_score():
    assert judged("INV-003", asking(), unambiguous=10).status == "passed"
    assert judged("INV-003", asking(), unambiguous=9).status == "failed"


def test_a_committed_atom_is_fixed_by_a_successor():
    (finding,) = judged("INV-003", Facts(COMMITTED), unambiguous=0).findings
    assert finding.fix.endswith("pk atom supersede IA-1 --edit")


def test_an_atom_without_outcome_is_not_testable_in_any_language():
    facts = asking(pact=a_pact(replace(ONE, outcomes=())))
    (checked,) = evaluate(facts, only=("INV-002",), assess=lambda _: replace(quality(), language="de"))
    assert checked.findings[0].message.startswith("no outcome")


def test_words_in_a_language_that_the_rules_do_not_read_are_not_checked():
    (checked,) = evaluate(asking(), only=("INV-003",), assess=lambda _: replace(quality(unambiguous=0), language="de"))
    assert (checked.status, checked.findings) == ("not checked", ())
    assert "IA-1 (de)" in checked.reason


def test_drafts_are_left_alone_until_somebody_commits_them():
    assert judged("INV-003", Facts(a_pact(ONE)), unambiguous=0).status == "passed"


def test_replaced_atoms_are_left_alone():
    heir = an_atom("IA-2", supersedes="IA-1")
    pact = a_pact(ONE, heir, committed=["IA-1", "IA-2"])
    assert [one.subject for one in judged("INV-003", Facts(pact), unambiguous=0).findings] == ["IA-2"]


def test_an_override_of_a_commitment_holds_for_what_it_froze():
    overridden = a_commitment(ONE, overrides={"INV-003": "the regulator's words"})
    pact = replace(COMMITTED, commitments={overridden.id: overridden})
    assert judged("INV-003", Facts(pact), unambiguous=0).status == "passed"
    assert judged("INV-002", Facts(pact), observable=0).status == "failed"


def test_words_that_an_earlier_state_has_committed_are_left_to_a_later_look():
    assert judged("INV-003", Facts(COMMITTED, fresh=frozenset()), unambiguous=0).status == "not checked"
    assert judged("INV-002", Facts(COMMITTED, fresh=frozenset()), observable=0).status == "passed"
    fresh = frozenset(COMMITTED.commitments)
    assert judged("INV-003", Facts(COMMITTED, fresh=fresh), unambiguous=0).status == "failed"
    assert judged("INV-002", Facts(COMMITTED, fresh=fresh), observable=0).status == "failed"


def test_a_missing_outcome_is_seen_however_old_the_commitment_is():
    bare = an_atom("IA-1", outcomes=())
    old = Facts(a_pact(bare, committed=["IA-1"]), fresh=frozenset())
    assert [one.code for one in judged("INV-002", old).findings] == ["PK302"]


def test_words_that_were_not_committed_are_not_judged_in_their_place():
    edited = replace(COMMITTED, atoms={"IA-1": replace(ONE, intent="It works quickly.")})
    assert judged("INV-003", Facts(edited), unambiguous=0).status == "passed"


# INV-004


def test_atoms_as_frozen_are_immutable():
    assert judged("INV-004", Facts(COMMITTED)).status == "passed"


def test_a_changed_and_a_missing_atom_break_immutability_under_the_codes_of_check():
    changed = replace(COMMITTED, atoms={"IA-1": replace(ONE, intent="Something else.")})
    assert [one.code for one in judged("INV-004", Facts(changed)).findings] == ["PK201"]
    assert [one.code for one in judged("INV-004", Facts(replace(COMMITTED, atoms={}))).findings] == ["PK202"]


def test_a_commit_is_not_stopped_by_what_somebody_did_to_other_atoms():
    two = an_atom("IA-2", "A logout works.")
    pact = replace(COMMITTED, atoms={"IA-1": replace(ONE, intent="Something else."), "IA-2": two})
    assert judged("INV-004", asking("IA-2", pact=pact)).status == "passed"
    assert judged("INV-004", asking("IA-1", pact=pact)).status == "failed"


# INV-005


@pytest.mark.parametrize(
    "fields",
    [{"source": "person"}, {"source": "agent", "origin": "a.py::t"}, {"source": "agent", "recommendation": "op-1"}],
)
def test_an_atom_of_a_person_or_with_an_origin_can_be_traced(fields):
    assert judged("INV-005", asking(pact=a_pact(an_atom(**fields)))).status == "passed"


def test_an_atom_of_an_agent_leads_nowhere_until_a_test_is_linked():
    pact = a_pact(an_atom(source="agent"))
    (finding,) = judged("INV-005", asking(pact=pact)).findings
    assert (finding.code, finding.subject) == ("PK305", "IA-1")
    linked = link_tests([a_test(annotations=[note("IA-1")])], pact)
    assert judged("INV-005", replace(asking(pact=pact), linked=linked)).status == "passed"


def test_without_tests_nobody_says_that_an_atom_leads_nowhere():
    facts = replace(asking(pact=a_pact(an_atom(source="agent"))), linked=None)
    assert judged("INV-005", facts).status == "not checked"


def test_a_link_into_nothing_breaks_traceability_under_the_code_of_check():
    linked = link_tests([a_test(annotations=[note("IA-9")])], COMMITTED)
    (finding,) = judged("INV-005", Facts(COMMITTED, linked)).findings
    assert (finding.code, finding.subject, finding.about) == ("PK102", TEST, "IA-9")


# INV-006


@pytest.mark.parametrize(
    ("assurance", "status"),
    [("terminal", "asserted"), ("signed", "passed"), ("ci-verified", "passed"), (None, "not checked")],
)
def test_a_terminal_asserts_and_only_a_signature_shows_that_a_person_commits(assurance, status):
    assert judged("INV-006", asking(assurance=assurance)).status == status


@pytest.mark.parametrize("actor", ["agent", "ci", "timer"])
def test_whoever_is_no_person_may_not_commit_whatever_the_signature(actor):
    found = judged("INV-006", asking(actor=actor, assurance="signed"))
    assert (found.status, found.blocking, found.findings[0].code) == ("failed", True, "PK306")


def test_no_override_lets_an_agent_commit():
    assert judged("INV-006", asking(actor="agent", **{"INV-006": "it is a good agent"})).blocking


def test_commitments_are_shown_by_signatures_that_were_looked_at():
    name = next(iter(COMMITTED.commitments))
    assert judged("INV-006", Facts(COMMITTED)).status == "asserted"
    assert judged("INV-006", Facts(COMMITTED, verified={name: Verified("ada", "SHA256:x")})).status == "passed"
    forged = {name: Unverified("forged", "no signature over these bytes")}
    assert judged("INV-006", Facts(COMMITTED, verified=forged)).status == "failed"
    unknown = {name: Unverified("not checked", "ssh-keygen is missing")}
    assert judged("INV-006", Facts(COMMITTED, verified=unknown)).status == "asserted"


# INV-007, INV-008, INV-009


def test_evidence_is_held_against_what_was_noted():
    assert judged("INV-007", Facts(COMMITTED)).status == "not checked"
    assert judged("INV-007", Facts(COMMITTED, sealed={"run 1": Seal("v1:a", "v1:a")})).status == "passed"
    changed = Facts(COMMITTED, sealed={"run 1": Seal("v1:a", "v1:b"), "run 2": Seal("v1:a", None)})
    found = judged("INV-007", changed)
    assert [(one.code, one.subject) for one in found.findings] == [("PK307", "run 1"), ("PK307", "run 2")]


def test_a_refusal_has_to_name_a_rule_of_the_project():
    assert judged("INV-008", Facts(COMMITTED)).status == "not checked"
    named = Facts(COMMITTED, refusals=(Refusal("IA-1", "it is vague", "INV-003"),))
    assert judged("INV-008", named).status == "passed"
    unnamed = Facts(COMMITTED, refusals=(Refusal("IA-1", "I do not like it"), Refusal("IA-1", "x", "INV-404")))
    assert [one.code for one in judged("INV-008", unnamed).findings] == ["PK308", "PK308"]


@pytest.mark.parametrize(
    ("overrides", "problem"),
    [
        ({"INV-404": "x"}, "is not a rule here"),
        ({"INV-003": "  "}, "is overridden without a reason"),
        ({"INV-006": "x"}, "cannot be overridden"),
    ],
)
def test_an_override_has_to_name_a_rule_that_can_be_overridden_and_why(overrides, problem):
    (finding,) = judged("INV-008", asking(**overrides)).findings
    assert finding.message.startswith(problem)


OLD = Facts(COMMITTED, fresh=frozenset())
DOUBTED = Facts(COMMITTED, fresh=frozenset(), reread=False, doubts={"IA-1": "within which time?"})


def test_what_was_committed_earlier_is_read_again_only_where_there_is_time():
    assert judged("INV-009", replace(OLD, reread=False)).status == "not checked"
    assert judged("INV-009", OLD).status == "passed"
    assert judged("INV-009", asking()).status == "not checked"
    found = judged("INV-009", OLD, unambiguous=0)
    assert (found.status, found.blocking, found.findings[0].code) == ("failed", False, "PK309")


@pytest.mark.parametrize("facts", [OLD, DOUBTED])
def test_a_clarification_or_a_successor_resolves_what_is_ambiguous(facts):
    assert judged("INV-009", facts, unambiguous=0).status == "failed"
    said = Clarification("Q-1", "IA-1", "How fast?", "Within 200 ms.", "Ada", "2026-02-01T00:00:00+00:00")
    clarified = replace(COMMITTED, clarifications={"Q-1": said})
    assert judged("INV-009", replace(facts, pact=clarified), unambiguous=0).status == "passed"
    waiting = replace(COMMITTED, atoms={"IA-1": ONE, "IA-2": an_atom("IA-2", supersedes="IA-1")})
    assert judged("INV-009", replace(facts, pact=waiting), unambiguous=0).status == "passed"


def test_an_override_at_the_gate_has_owned_up_to_the_words():
    overridden = a_commitment(ONE, overrides={"INV-003": "the regulator's words"})
    pact = replace(COMMITTED, commitments={overridden.id: overridden})
    assert judged("INV-009", replace(OLD, pact=pact), unambiguous=0).status == "passed"


# R001 to R005


def updating(name):
    return Op("updateAtom", f"atom:{name}", "v1:" + "0" * 64, {"atomId": name, "description": "Something else."})


def creating(name):
    made = create(f"atom:{name}", "A login works.")
    return Op(made.verb, made.target, None, {**made.payload, "atomId": name})


def test_a_run_may_change_drafts_and_never_a_committed_atom():
    assert judged("R001", Facts(COMMITTED)).status == "not checked"
    assert judged("R001", Facts(a_pact(ONE), ops=(updating("IA-1"), creating("IA-2")))).status == "passed"
    found = judged("R001", Facts(COMMITTED, ops=(updating("IA-1"), creating("IA-1"))))
    assert [one.code for one in found.findings] == ["PK311", "PK311"]


def changed(*ops, questions=(), state="orphan"):
    tests = [a_test(annotations=[note("IA-1")] if state == "linked" else [])]
    pact = replace(COMMITTED, links={TEST: a_record(annotated=["IA-1"])}) if state == "linked" else COMMITTED
    linked = link_tests(tests, pact)
    return Facts(COMMITTED, linked, ops=ops, questions=questions, changed=frozenset({TEST}))


def test_a_changed_test_is_left_with_intent_an_op_or_a_question():
    assert judged("R002", Facts(COMMITTED, ())).status == "not checked"
    op = Op("detachTest", f"test:{TEST}", "v1:" + "0" * 64, {"testId": TEST})
    asked = Question("word_test", TEST, {})
    for facts in (changed(op), changed(questions=(asked,)), changed(state="linked")):
        assert judged("R002", facts).status == "passed"
    found = judged("R002", changed())
    assert (found.blocking, [(one.code, one.subject) for one in found.findings]) == (False, [("PK312", TEST)])


def test_an_interrupted_write_is_half_an_apply():
    assert judged("R003", Facts(COMMITTED)).status == "not checked"
    assert judged("R003", Facts(COMMITTED, unfinished=())).status == "passed"
    (finding,) = judged("R003", Facts(COMMITTED, unfinished=("2026-02-01",))).findings
    assert (finding.code, finding.fix) == ("PK313", "pk recover")


def test_nothing_about_a_molecule_is_an_error():
    pact = replace(COMMITTED, molecules={"M-1": Molecule("M-1", "Login", ("IA-1",))})
    warned = Facts(pact, findings=(Finding("PK120", "M-1", "warning", "x"), Finding("PK101", "t", "error", "x")))
    assert judged("R004", warned).status == "passed"
    blocked = Facts(pact, findings=(Finding("PK120", "M-1", "error", "x"),))
    assert [one.code for one in judged("R004", blocked).findings] == ["PK314"]
    ruled = replace(pact, invariants={"INV-1": Invariant("INV-1", every="molecule", severity="error")})
    assert [one.subject for one in judged("R004", Facts(ruled)).findings] == ["INV-1"]


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (None, "not checked"),
        ({"ids": ["IA-1"] * 20_000, "at": "2026", "seen": 3, "pairs": {"IA-1": ["op-1"]}}, "passed"),
        ({"source": "x" * 1001}, "failed"),
        ({"tests": [{"claims": [["a"]]}]}, "failed"),
    ],
)
def test_a_flow_carries_ids_and_no_bulk(state, status):
    assert judged("R005", Facts(COMMITTED, state=state)).status == status


# what a project says of a rule


def setting(entry, rule="INV-003"):
    return evaluate(
        Facts(replace(COMMITTED, invariants={rule: entry})), only=(rule,), assess=lambda _: quality(unambiguous=0)
    )[0]


def test_a_rule_that_is_switched_off_is_not_checked_and_says_why():
    found = setting(Invariant("INV-003", enabled=False))
    assert (found.status, found.findings, found.blocking) == ("not checked", (), False)
    assert "switched off" in found.reason


def test_the_severity_of_a_rule_is_that_of_its_findings_and_decides_whether_it_blocks():
    assert [(one.severity) for one in setting(Invariant("INV-003", severity="info")).findings] == ["info"]
    assert setting(Invariant("INV-003")).blocking
    assert not setting(Invariant("INV-003", severity="warning")).blocking
    assert setting(Invariant("INV-003", severity="warning", blocking=True)).blocking
    assert not setting(Invariant("INV-003", blocking=False)).blocking


def test_an_override_takes_the_block_and_leaves_the_finding():
    (found,) = evaluate(
        asking(**{"INV-003": "the law's words"}), only=("INV-003",), assess=lambda _: quality(unambiguous=0)
    )
    assert (found.status, found.blocking, len(found.findings)) == ("failed", False, 1)
    assert found.reason.endswith("overridden: the law's words")


def test_only_known_rules_can_be_asked_for():
    with pytest.raises(KeyError, match="INV-404"):
        evaluate(Facts(COMMITTED), only=("INV-404",))
    with pytest.raises(KeyError, match="INV-404"):
        setting_of(COMMITTED, "INV-404")
