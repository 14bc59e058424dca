"""What a person decides in one step, where the words of one test serve another."""

import pytest

from pactkeeper.chat.here import Here
from pactkeeper.chat.intending import proposed
from pactkeeper.errors import UsageError
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.decide import chosen, decide, pending_of, save_decisions, withdraw
from tests.operators.conftest import FILE

TWIN = "tests/test_shop_again.py"
EXPIRED = "test_expired_token_is_refused"


def with_twin(shop):
    shop.write(TWIN, shop.read(FILE).partition("\n\n\n")[2])
    return shop.reconcile().patch


def test_accepting_only_the_second_of_two_tests_that_say_the_same_makes_the_atom(shop):
    patch = with_twin(shop)
    with shop.open() as workspace:
        [item] = chosen(pending_of(workspace, patch), [TWIN])
        assert [op.verb for op in item.needs] == ["createAtom"]
        applied = apply_patch(workspace, patch, decide(workspace, item, "accept"))
    assert applied.planned.skipped == ()
    states = shop.states()
    assert (states[f"{TWIN}::{EXPIRED}"], states[f"{FILE}::{EXPIRED}"]) == ("unratified", "orphan")


def test_rejecting_the_second_leaves_the_atom_undecided(shop):
    patch = with_twin(shop)
    with shop.open() as workspace:
        [item] = chosen(pending_of(workspace, patch), [TWIN])
        assert {one.op for one in decide(workspace, item, "reject")} == {op.id for op in item.ops}


def test_an_atom_that_was_decided_is_not_decided_again_with_the_second(shop):
    patch = with_twin(shop)
    with shop.open() as workspace:
        [first] = chosen(pending_of(workspace, patch), [f"{FILE}::{EXPIRED}"])
        save_decisions(workspace, patch, decide(workspace, first, "reject"))
        [second] = chosen(pending_of(workspace, patch), [TWIN])
        assert second.needs == ()


def test_one_command_decides_everything_in_one_name(shop):
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        first, second = pending_of(workspace, patch).open
        before = decide(workspace, first, "accept")
        shop.git("config", "user.name", "Grace")
        after = decide(workspace, second, "accept")
    assert {one.by for one in (*before, *after)} == {"Ada <ada@example.org>"}


def test_a_decision_is_taken_back_until_it_is_applied(shop):
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        first, second = pending_of(workspace, patch).open
        save_decisions(workspace, patch, [*decide(workspace, first, "accept"), *decide(workspace, second, "accept")])
        withdraw(workspace, patch, [op.id for op in first.ops])
        left = pending_of(workspace, patch)
        assert [item.group for item in left.open] == [first.group]
        apply_patch(workspace, patch, left.review.decisions)
        with pytest.raises(UsageError, match="pk undo"):
            withdraw(workspace, patch, [op.id for op in second.ops])


def test_an_edited_decision_that_is_applied_is_not_taken_back(shop):
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        item = pending_of(workspace, patch).open[0]
        op = next(op for op in item.ops if op.verb == "createAtom")
        edited = {op.id: {**op.payload, "description": "Words of a person."}}
        made = decide(workspace, item, "edit", edited=edited)
        save_decisions(workspace, patch, made)
        apply_patch(workspace, patch, made)
        with pytest.raises(UsageError, match="applied already"):
            withdraw(workspace, patch, [op.id])


def test_once_a_patch_is_applied_an_answer_names_no_ops_of_it_that_wait(shop):
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        first, second = pending_of(workspace, patch).open
        apply_patch(workspace, patch, decide(workspace, first, "accept"))
    with shop.open() as workspace:
        before = proposed(Here(workspace), "review_patch", {}).says
        apply_patch(workspace, patch, decide(workspace, second, "accept"))
        after = proposed(Here(workspace), "review_patch", {}).says
    assert f"{len(patch.ops)} ops wait in {patch.id}." in [one.text for one in before]
    assert "Nothing waits" in after[-1].text
