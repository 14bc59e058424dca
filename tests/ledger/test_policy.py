from dataclasses import replace

import pytest

from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.policy import DEFAULT_POLICY, Case, Rule, case_of, explain, may_apply
from tests.ledger.strategies import attach, create

CASE = Case("record", "mechanical", "agent", "complete", verb="createTask")
ACCEPT = Decision("op-000000000000", "v1:" + "0" * 64, "accept", "ada", "2026-11-20T12:00:00Z")
FIRST = Rule("first", "ask", "one", risks=frozenset({"record"}))
SECOND = Rule("second", "auto", "two", cap=2)


def test_the_first_rule_that_matches_decides():
    assert explain((FIRST, SECOND), CASE).rule == "first"
    assert explain((SECOND, FIRST), CASE).rule == "second"


def test_an_explanation_says_why_each_earlier_rule_did_not_match():
    ruling = explain((FIRST, SECOND), replace(CASE, risk="annotate"))
    assert (ruling.rule, ruling.passed_over) == ("second", (("first", "risk is annotate, not record"),))


@pytest.mark.parametrize(
    ("rule", "why_not"),
    [
        (Rule("r", "auto", "", evidence=frozenset({"quoted"})), "evidence is mechanical, not quoted"),
        (Rule("r", "auto", "", actors=frozenset({"person", "ci"})), "actor is agent, not ci or person"),
        (Rule("r", "auto", "", health=frozenset({"partial"})), "source health is complete, not partial"),
        (Rule("r", "auto", "", from_absence=True), "it does not rest on absence"),
        (Rule("r", "auto", "", verbs=frozenset({"logTask"})), "verb is createTask, not logTask"),
        (Rule("r", "auto", "", certain=True), "it is not certain"),
    ],
)
def test_every_condition_counts_and_where_no_rule_matches_the_answer_is_no(rule: Rule, why_not: str):
    ruling = explain((rule,), CASE)
    assert (ruling.permission, ruling.rule, ruling.passed_over) == ("deny", None, (("r", why_not),))


@pytest.mark.parametrize(("given", "left"), [("auto", "ask"), ("ask", "deny"), ("deny", "deny")])
def test_a_used_up_cap_lowers_what_a_rule_grants_and_opens_no_later_rule(given, left: str):
    rules = (replace(SECOND, permission=given), Rule("wide", "auto", "all"))
    assert explain(rules, CASE, used={"second": 1}).permission == given
    ruling = explain(rules, CASE, used={"second": 2})
    assert (ruling.permission, ruling.rule, "cap of 2" in ruling.why) == (left, "second", True)


def test_confidence_raises_nothing():
    ops = [replace(attach("test:a", "v1:" + "0" * 64, "IA-1"), confidence=one) for one in ("0.01", "1.00")]
    assert len({case_of(op, actor="agent", health=COMPLETE) for op in ops}) == 1


def test_creating_and_being_told_of_something_missing_rest_on_absence():
    here = attach("test:a", "v1:" + "0" * 64, "IA-1")
    missing = replace(here, evidence=(Evidence("mechanical", "a.py", note="test_a", absent=True),))
    cases = [case_of(op, actor="person", health=COMPLETE) for op in (create("atom:IA-1", "x"), here, missing)]
    assert [case.from_absence for case in cases] == [True, False, True]


def test_what_rests_on_absence_is_denied_unless_everything_was_seen():
    op = replace(create("atom:IA-1", "x"), evidence=(Evidence("mechanical"),))
    verdicts = [
        explain(DEFAULT_POLICY, case_of(op, actor="person", health=health)).permission
        for health in (COMPLETE, Health("partial", "x"), Health("unavailable", "x"))
    ]
    assert verdicts == ["ask", "deny", "deny"]


def test_only_a_person_is_asked_about_an_act_that_is_a_persons():
    verdicts = {
        actor: explain(DEFAULT_POLICY, Case("human-act", "mechanical", actor, "complete")).permission
        for actor in ("person", "agent", "ci", "timer")
    }
    assert verdicts == {"person": "ask", "agent": "deny", "ci": "deny", "timer": "deny"}


def test_what_must_be_asked_about_needs_a_persons_acceptance():
    ask = explain((FIRST,), CASE)
    decisions = [None, ACCEPT, replace(ACCEPT, actor="agent"), replace(ACCEPT, verdict="reject")]
    assert [may_apply(ask, one) for one in decisions] == [False, True, False, False]


def test_a_denial_outweighs_an_acceptance_and_a_rejection_outweighs_auto():
    assert not may_apply(explain((), CASE), ACCEPT)
    auto = explain((SECOND,), CASE)
    assert may_apply(auto, None)
    assert not may_apply(auto, replace(ACCEPT, verdict="reject"))
