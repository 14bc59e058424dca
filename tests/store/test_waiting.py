from dataclasses import replace

import pytest

from pactkeeper.ledger.patch import Patch
from pactkeeper.store.decisions import save_decisions, save_patch, withdraw_decisions
from pactkeeper.store.runs import update_run
from pactkeeper.store.waiting import (
    Aims,
    fates,
    newest_open,
    note_applied,
    open_ops,
    open_ops_by_test,
    proposed_by_waiting,
    undecided_ops,
    waiting_ops,
)
from tests.store.rows import AT, begin_run, create_op, decide


def paused(history, run, *ops, base="v1:base", status="paused"):
    """A run that proposes some ops and waits."""
    begun = begin_run(history, run)
    patch = Patch(base, ops)
    save_patch(history, run, patch)
    update_run(history, replace(begun, status=status, patch=patch.id))
    return patch


ONE, TWO = create_op("IA-1", "tests/a.py::one"), create_op("IA-2", "tests/a.py::two")


def test_the_ops_of_a_paused_run_wait_until_they_are_applied(history):
    patch = paused(history, "REC-1", ONE, TWO)
    assert waiting_ops(history) == {ONE.id, TWO.id}
    save_decisions(history, patch.id, [decide(ONE)])
    assert waiting_ops(history) == {ONE.id, TWO.id}
    note_applied(history, "1", patch.id, [ONE.id], at=AT)
    assert waiting_ops(history) == {TWO.id}


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_the_ops_of_a_run_that_has_ended_do_not_wait(history, status):
    paused(history, "REC-1", ONE, status=status)
    assert waiting_ops(history) == frozenset()
    assert open_ops(history) == {}


def test_an_op_is_open_until_it_is_decided(history):
    patch = paused(history, "REC-1", ONE, TWO)
    assert open_ops(history) == {"REC-1": {ONE.id, TWO.id}}
    save_decisions(history, patch.id, [decide(ONE, "reject")])
    assert open_ops(history) == {"REC-1": {TWO.id}}


def test_a_newer_run_replaces_what_an_older_one_proposes_about_a_test(history):
    paused(history, "REC-1", ONE, TWO)
    other = replace(ONE, payload={**ONE.payload, "description": "Another sentence."})
    paused(history, "REC-2", other, base="v1:newer")
    assert open_ops(history) == {"REC-1": {TWO.id}, "REC-2": {other.id}}


def test_what_waits_is_counted_without_one_run(history):
    paused(history, "REC-1", ONE)
    paused(history, "REC-2", TWO, base="v1:newer")
    assert undecided_ops(history) == {ONE.id, TWO.id}
    assert undecided_ops(history, besides="REC-2") == {ONE.id}


def test_an_op_that_something_else_applied_is_not_open(history):
    paused(history, "REC-1", ONE, TWO)
    other = paused(history, "REC-2", ONE, base="v1:newer", status="completed")
    note_applied(history, "1", other.id, [ONE.id], at=AT)
    assert open_ops(history) == {"REC-1": {TWO.id}}


def test_every_op_of_a_patch_has_one_fate(history):
    three, four = create_op("IA-3", "tests/a.py::three"), create_op("IA-4", "tests/a.py::four")
    patch = paused(history, "REC-1", ONE, TWO, three, four)
    decisions = [decide(ONE), decide(TWO), decide(three, "reject")]
    save_decisions(history, patch.id, decisions)
    note_applied(history, "1", patch.id, [TWO.id], at=AT)
    found = fates(history, [patch.id])
    assert list(found[patch.id].items()) == [("pending", 1), ("accepted", 1), ("rejected", 1), ("applied", 1)]


def test_an_unknown_patch_has_no_fates(history):
    assert fates(history, ["pa-0"]) == {"pa-0": {}}


def test_the_newest_run_in_which_something_is_open_is_not_one_that_was_decided_or_replaced(history):
    assert newest_open(history) is None
    paused(history, "REC-1", ONE, TWO)
    decided = paused(
        history, "REC-2", create_op("IA-1", "tests/a.py::one", description="In other words."), base="v1:newer"
    )
    assert newest_open(history) == "REC-2"
    save_decisions(history, decided.id, [decide(decided.ops[0])])
    assert newest_open(history) == "REC-1"


@pytest.mark.slow
def test_more_ops_wait_than_a_statement_takes_values(history):
    paused(history, "REC-1", *(create_op(f"IA-{number}", f"tests/a.py::t{number}") for number in range(70_000)))
    assert len(proposed_by_waiting(history)) == 70_000


def test_two_repositories_wait_for_themselves(history, neighbour):
    patch = paused(history, "REC-1", ONE)
    paused(neighbour, "REC-1", ONE)
    save_decisions(neighbour, patch.id, [decide(ONE)])
    note_applied(neighbour, "1", patch.id, [ONE.id], at=AT)
    assert waiting_ops(history) == {ONE.id}
    assert open_ops(history) == {"REC-1": {ONE.id}}
    assert waiting_ops(neighbour) == frozenset()


def test_an_op_is_open_again_once_its_decision_is_taken_back(history):
    patch = paused(history, "REC-1", ONE, TWO)
    save_decisions(history, patch.id, [decide(ONE), decide(TWO)])
    withdraw_decisions(history, patch.id, [ONE.id], by="Ada", at=AT)
    assert open_ops(history) == {"REC-1": {ONE.id}}
    assert undecided_ops(history) == {ONE.id}


def test_what_is_kept_of_patches_tells_the_same_as_what_is_read(history):
    patch = paused(history, "REC-1", ONE, TWO)
    kept: Aims = {}
    assert open_ops_by_test(history, lambda _: True, kept) == {ONE.group: (ONE.id,), TWO.group: (TWO.id,)}
    save_decisions(history, patch.id, [decide(ONE)])
    other = replace(TWO, payload={**TWO.payload, "description": "Another sentence."})
    paused(history, "REC-2", other, base="v1:newer")
    known, fresh = (open_ops_by_test(history, lambda _: True, one) for one in (kept, {}))
    assert known == fresh == {other.group: (other.id,)}
    assert open_ops_by_test(history, lambda op: op.id != other.id, kept) == {}
    assert len(kept) == 2
