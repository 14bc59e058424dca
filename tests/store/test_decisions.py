from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.store.decisions import decided_ops, decisions_of, save_decisions, withdraw_decisions
from tests.store.rows import LATER, create_op, decide, kept_patch


def test_a_decision_comes_back_with_every_field(history):
    patch = kept_patch(history)
    edited = {**patch.ops[0].payload, "description": "Another sentence."}
    given = (
        decide(patch.ops[0], "edit", edited=edited, reason="clearer", actor="ci", assurance="ci-verified"),
        decide(patch.ops[1], "reject", reason="no"),
    )
    save_decisions(history, patch.id, given)
    assert decisions_of(history, patch.id) == given


def test_nobody_has_decided_on_a_new_patch(history):
    assert decisions_of(history, kept_patch(history).id) == ()


def test_decisions_come_in_the_order_of_the_ops(history):
    patch = kept_patch(history)
    save_decisions(history, patch.id, [decide(op) for op in reversed(patch.ops)])
    assert [one.op for one in decisions_of(history, patch.id)] == [op.id for op in patch.ops]


def test_a_later_decision_replaces_the_earlier_and_both_are_told(history):
    patch = kept_patch(history)
    op = patch.ops[0]
    first, second = decide(op), decide(op, "reject", at=LATER, by="Bob")
    save_decisions(history, patch.id, [first])
    save_decisions(history, patch.id, [second])
    assert decisions_of(history, patch.id) == (second,)
    assert [(one.verdict, one.by) for one in decided_ops(history, most=9)] == [("reject", "Bob"), ("accept", first.by)]


def test_the_last_of_one_call_holds(history):
    patch = kept_patch(history)
    op = patch.ops[0]
    save_decisions(history, patch.id, [decide(op), decide(op, "reject")])
    assert decisions_of(history, patch.id) == (decide(op, "reject"),)


def test_the_same_decision_twice_is_kept_once(history):
    patch = kept_patch(history)
    one = decide(patch.ops[0])
    save_decisions(history, patch.id, [one, one])
    save_decisions(history, patch.id, [one])
    assert len(decided_ops(history, most=9)) == 1


def test_going_back_to_an_earlier_word_is_a_decision(history):
    patch = kept_patch(history)
    yes, no = decide(patch.ops[0]), decide(patch.ops[0], "reject")
    for one in (yes, no, yes):
        save_decisions(history, patch.id, [one])
    assert decisions_of(history, patch.id) == (yes,)
    assert [one.verdict for one in decided_ops(history, most=9)] == ["accept", "reject", "accept"]


def test_a_decision_on_an_op_of_another_patch_takes_the_others_with_it(history):
    patch = kept_patch(history)
    stranger = create_op("IA-9")
    with pytest.raises(InputError, match=f"has no op '{stranger.id}'; nothing was decided"):
        save_decisions(history, patch.id, [decide(patch.ops[0]), decide(stranger)])
    assert decisions_of(history, patch.id) == ()


def test_nobody_decides_on_an_unknown_patch(history):
    with pytest.raises(InputError, match="no patch 'pa-0'"):
        save_decisions(history, "pa-0", [])
    assert decisions_of(history, "pa-0") == ()


def test_two_repositories_decide_for_themselves(history, neighbour):
    patch = kept_patch(history)
    kept_patch(neighbour)
    save_decisions(history, patch.id, [decide(patch.ops[0])])
    save_decisions(neighbour, patch.id, [replace(decide(patch.ops[0]), verdict="reject")])
    assert [one.verdict for one in decisions_of(history, patch.id)] == ["accept"]
    assert [one.verdict for one in decisions_of(neighbour, patch.id)] == ["reject"]


def test_a_decision_taken_back_leaves_its_op_open_and_is_remembered(history):
    patch = kept_patch(history)
    first, second = (decide(op) for op in patch.ops[:2])
    save_decisions(history, patch.id, [first, second])
    withdraw_decisions(history, patch.id, [first.op], by="Ada", at=LATER)
    assert decisions_of(history, patch.id) == (second,)
    assert [one.by for one in decided_ops(history, most=9) if one.verdict == "withdraw"] == ["Ada"]
    save_decisions(history, patch.id, [first])
    assert decisions_of(history, patch.id) == (first, second)


def test_nothing_is_taken_back_of_an_op_that_nobody_decided(history):
    patch = kept_patch(history)
    withdraw_decisions(history, patch.id, [patch.ops[0].id], by="Ada", at=LATER)
    assert decisions_of(history, patch.id) == ()
