"""The laws of the spine, each for all values that the strategies can make."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pactkeeper.errors import RefusedError, StaleError
from pactkeeper.ledger.decision import Decision, bind
from pactkeeper.ledger.finding import (
    EVIDENCE_ORDER,
    RISKS,
    Evidence,
    Finding,
    FindingStanding,
    FindingStep,
    Risk,
    move,
    resolved_by_absence,
    sift,
)
from pactkeeper.ledger.health import ACTORS, HEALTH_STATUSES, Actor, Difference, Health, SourceView, difference
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch, decode_patch, encode_patch
from pactkeeper.ledger.policy import DEFAULT_POLICY, Case, case_of, explain
from pactkeeper.ledger.selection import Journal, State, apply_ops, last_batch, node_hash, plan, select, undo
from tests.ledger.strategies import (
    TARGETS,
    TEXT,
    WORDS,
    effect,
    evidences,
    findings,
    hashes,
    healths,
    json_values,
    op_on,
    patches,
    states,
    states_and_ops,
    unseen,
)

NOW = "2026-11-20T12:00:00+00:00"
digests = st.dictionaries(st.sampled_from(TARGETS), hashes)


def accept_all(patch: Patch) -> list[Decision]:
    return [Decision(op.id, op.shown_hash, "accept", "ada", NOW) for op in patch.ops]


@given(states_and_ops())
def test_applying_twice_equals_applying_once(drawn: tuple[State, list[Op]]):
    state, ops = drawn
    once = apply_ops(state, ops, (), effect=effect)
    assert apply_ops(once[0], ops, once[1], effect=effect) == once


@given(states_and_ops(), st.data())
def test_applying_twice_equals_once_even_when_the_value_changed_in_between(
    drawn: tuple[State, list[Op]], data: st.DataObject
):
    state, ops = drawn
    applied, journal = apply_ops(state, ops, (), effect=effect)
    later = {**applied, **data.draw(states)}
    assert apply_ops(later, ops, journal, effect=effect) == (later, journal)


@given(states_and_ops(), st.data())
def test_apply_then_undo_is_the_identity(drawn: tuple[State, list[Op]], data: st.DataObject):
    state, ops = drawn
    journal: Journal = ()
    first, rest = ops[: len(ops) // 2], ops[len(ops) // 2 :]
    before, journal = apply_ops(state, first, journal, effect=effect)
    applied, journal = apply_ops(before, rest, journal, effect=effect)
    undone, after = undo(applied, journal, last_batch(journal) if rest else ())
    assert undone == before
    assert after[: len(journal)] == journal, "the journal is only appended to"
    if rest:
        assert undo(undone, after, last_batch(after))[0] == state


@given(states_and_ops())
def test_what_was_undone_can_be_applied_again(drawn: tuple[State, list[Op]]):
    state, ops = drawn
    applied, journal = apply_ops(state, ops, (), effect=effect)
    undone, journal = undo(applied, journal, last_batch(journal))
    assert apply_ops(undone, ops, journal, effect=effect)[0] == applied


@given(states_and_ops(), json_values)
def test_undo_refuses_a_value_that_changed_since(drawn: tuple[State, list[Op]], other: object):
    state, ops = drawn
    assume(ops)
    applied, journal = apply_ops(state, ops, (), effect=effect)
    assume(other != applied.get(ops[0].target))
    changed = {**applied, ops[0].target: other}
    with pytest.raises(StaleError, match=ops[0].id):
        undo(changed, journal, last_batch(journal))  # type: ignore[arg-type]  # hypothesis draws JSON as object


@given(states, st.data())
def test_no_op_applies_on_a_stale_precondition(state: State, data: st.DataObject):
    targets = data.draw(st.lists(st.sampled_from(TARGETS), unique=True, min_size=1, max_size=4))
    wrong = st.none() | hashes
    ops = [data.draw(op_on(name, data.draw(st.just(node_hash(state.get(name))) | wrong))) for name in targets]
    stale = [op for op in ops if op.precondition != node_hash(state.get(op.target))]
    if stale:
        with pytest.raises(StaleError) as error:
            apply_ops(state, ops, (), effect=effect)
        assert {op.id for op in ops if op.id in str(error.value)} == {op.id for op in stale}
    else:
        assert len(apply_ops(state, ops, (), effect=effect)[1]) == len(ops)


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


@given(digests, healths, healths)
def test_unchanged_input_gives_an_empty_difference(seen: dict[str, str], before: Health, after: Health):
    assert difference(SourceView(seen, before), SourceView(dict(seen), after)) == Difference()


@given(digests, digests, unseen, healths, st.booleans())
def test_an_unavailable_source_never_yields_a_create_or_a_deletion(
    before: dict[str, str], after: dict[str, str], bad: Health, other: Health, swap: bool
):
    assume(bad.status == "unavailable")
    first, second = (other, bad) if swap else (bad, other)
    found = difference(SourceView(before, first), SourceView(after, second))
    assert (found.added, found.changed, found.removed) == ((), (), ())


@given(digests, digests, healths, healths)
def test_absence_is_concluded_only_from_a_complete_view(
    before: dict[str, str], after: dict[str, str], first: Health, second: Health
):
    found = difference(SourceView(before, first), SourceView(after, second))
    assert not found.added or first.status == "complete"
    assert not found.removed or second.status == "complete"
    different = {key for key in before | after if before.get(key) != after.get(key)}
    named = {*found.added, *found.changed, *found.removed, *(one.id for one in found.withheld)}
    assert named == different


@given(st.dictionaries(WORDS, st.just(FindingStanding("open"))), unseen)
def test_an_incomplete_source_resolves_no_finding(standings: dict[str, FindingStanding], health: Health):
    assert resolved_by_absence(standings, (), health) == frozenset()


@given(st.sampled_from(RISKS), st.sampled_from(ACTORS), unseen, st.data())
def test_a_create_from_an_incomplete_source_is_denied(risk: Risk, actor: Actor, health: Health, data: st.DataObject):
    op = data.draw(op_on("test:a", None))
    case = replace(case_of(op, actor=actor, health=health), risk=risk)
    assert explain(DEFAULT_POLICY, case).permission == "deny"


@given(findings, TEXT, st.integers(0, 900))
def test_a_rejected_fingerprint_stays_away_when_lines_move_and_messages_change(
    finding: Finding, message: str, shift: int
):
    standing = move(FindingStanding(), FindingStep("rejected", "ada", "intended"), finding=finding)
    again = replace(
        finding,
        message=message,
        fix="",
        evidence=tuple(replace(one, line=one.line + shift) for one in reversed(finding.evidence)),
    )
    sifted = sift([again], {finding.fingerprint: standing}, now=NOW)
    assert (sifted.shown, [one.finding for one in sifted.suppressed]) == ((), [again])


@given(findings, evidences)
def test_a_rejected_fingerprint_comes_back_when_its_evidence_changes(finding: Finding, other: tuple[Evidence, ...]):
    standing = move(FindingStanding(), FindingStep("rejected", "ada", "intended"), finding=finding)
    again = replace(finding, evidence=other)
    assume(again.evidence_hash != finding.evidence_hash)
    assert sift([again], {finding.fingerprint: standing}, now=NOW).shown == (again,)


@given(st.lists(findings, max_size=5), st.data())
def test_every_finding_is_shown_or_counted_as_suppressed(found: list[Finding], data: st.DataObject):
    chosen = [one for one in found if data.draw(st.booleans())]
    standings = {
        one.fingerprint: move(FindingStanding(), FindingStep("rejected", "ada"), finding=one) for one in chosen
    }
    sifted = sift(found, standings, now=NOW)
    assert len(sifted.shown) + len(sifted.suppressed) == len(found)


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
