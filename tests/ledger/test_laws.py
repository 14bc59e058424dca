"""The laws of the spine, each for all values that the strategies can make."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.errors import RefusedError, StaleError
from pactkeeper.ledger.decision import Decision, bind
from pactkeeper.ledger.finding import (
    EVIDENCE_ORDER,
    RISKS,
    FindingStanding,
    Risk,
    resolved_by_absence,
)
from pactkeeper.ledger.health import ACTORS, HEALTH_STATUSES, Actor, Health
from pactkeeper.ledger.patch import Patch, decode_patch, encode_patch
from pactkeeper.ledger.policy import DEFAULT_POLICY, Case, case_of, explain
from pactkeeper.ledger.selection import plan, select
from tests.ledger.strategies import (
    TARGETS,
    WORDS,
    hashes,
    op_on,
    patches,
    unseen,
)

NOW = "2026-11-20T12:00:00+00:00"
digests = st.dictionaries(st.sampled_from(TARGETS), hashes)


def accept_all(patch: Patch) -> list[Decision]:
    return [Decision(op.id, op.shown_hash, "accept", "ada", NOW) for op in patch.ops]


@given(patches(), digests)
def test_a_plan_holds_no_stale_op_and_nothing_that_depends_on_one(patch: Patch, current: dict[str, str]):
    planned = plan(select(patch, accept_all(patch)), current, skip_stale=True)
    ids = {op.id for op in planned.ops}
    assert all(current.get(op.target) == op.precondition for op in planned.ops)
    assert all(name in ids for op in planned.ops for name in op.depends_on)
    assert ids | {one.op.id for one in planned.skipped} == {op.id for op in patch.ops}, "nothing vanishes unseen"


@given(patches(), digests)
def test_a_plan_that_may_not_skip_names_every_stale_op(patch: Patch, current: dict[str, str]):
    selection = select(patch, accept_all(patch))
    stale = [op for op in patch.ops if current.get(op.target) != op.precondition]
    if not stale:
        assert plan(selection, current).ops == patch.ops
        return
    with pytest.raises(StaleError) as error:
        plan(selection, current)
    assert {op.id for op in patch.ops if op.id in str(error.value)} == {op.id for op in stale}


@given(st.dictionaries(WORDS, st.just(FindingStanding("open"))), unseen)
def test_an_incomplete_source_resolves_no_finding(standings: dict[str, FindingStanding], health: Health):
    assert resolved_by_absence(standings, (), health) == frozenset()


@given(st.sampled_from(RISKS), st.sampled_from(ACTORS), unseen, st.data())
def test_a_create_from_an_incomplete_source_is_denied(risk: Risk, actor: Actor, health: Health, data: st.DataObject):
    op = data.draw(op_on("test:a", None))
    case = replace(case_of(op, actor=actor, health=health), risk=risk)
    assert explain(DEFAULT_POLICY, case).permission == "deny"


@given(patches())
def test_a_patch_survives_its_text_form(patch: Patch):
    assert decode_patch(encode_patch(patch)) == patch


@given(patches(), hashes)
def test_a_decision_holds_only_for_what_was_shown(patch: Patch, other: str):
    decisions = accept_all(patch)
    assert list(bind(patch, decisions)) == [op.id for op in patch.ops]
    for decision in decisions:
        with pytest.raises(RefusedError, match=decision.op):
            bind(patch, [replace(decision, shown_hash=other)])


@given(
    st.builds(
        Case,
        risk=st.sampled_from(RISKS),
        evidence=st.sampled_from(EVIDENCE_ORDER),
        actor=st.sampled_from(ACTORS),
        health=st.sampled_from(HEALTH_STATUSES),
        from_absence=st.booleans(),
    )
)
def test_the_policy_denies_what_no_rule_allows_and_lets_nothing_irreversible_happen_by_itself(case: Case):
    assert explain((), case).permission == "deny"
    ruling = explain(DEFAULT_POLICY, case)
    if case.risk in {"irreversible", "human-act"} or case.evidence in {"similar", "model"}:
        assert ruling.permission != "auto"
    if case.actor != "person" and case.risk in {"irreversible", "human-act"}:
        assert ruling.permission == "deny"
    if case.health == "unavailable" or (case.from_absence and case.health == "partial"):
        assert ruling.permission == "deny"
