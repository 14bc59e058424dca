import pytest

from pactkeeper.errors import StaleError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.selection import apply_ops, last_batch, live, node_hash, undo
from tests.ledger.strategies import attach, create, detach, effect

STATE: dict[str, JsonValue] = {"test:a": "here"}


def test_each_entry_keeps_the_value_before_and_after():
    op = create("atom:IA-1", "x")
    state, (entry,) = apply_ops(STATE, [op], (), effect=effect)
    assert (entry.op, entry.target, entry.before, entry.after) == (op.id, "atom:IA-1", None, state["atom:IA-1"])
    assert "atom:IA-1" not in STATE


def test_one_stale_op_keeps_all_others_from_being_applied():
    ops = [create("atom:IA-1", "x"), attach("test:a", node_hash("other"), "IA-1")]
    with pytest.raises(StaleError, match=f"{ops[1].id} attachTestToAtom: test:a has changed"):
        apply_ops(STATE, ops, (), effect=effect)


def test_two_ops_of_one_batch_may_change_one_node():
    ops = [attach("test:a", node_hash("here"), atom) for atom in ("IA-1", "IA-2")]
    state, journal = apply_ops(STATE, ops, (), effect=effect)
    assert state["test:a"] == {"op": ops[1].id, "before": {"op": ops[0].id, "before": "here"}}
    assert undo(state, journal, last_batch(journal))[0] == STATE


def test_an_earlier_change_of_a_node_cannot_be_taken_back_before_the_later_one():
    ops = [attach("test:a", node_hash("here"), atom) for atom in ("IA-1", "IA-2")]
    state, journal = apply_ops(STATE, ops, (), effect=effect)
    with pytest.raises(StaleError, match="take back the later changes first"):
        undo(state, journal, journal[:1])


def test_a_removed_node_comes_back_with_undo():
    state, journal = apply_ops(STATE, [detach("test:a", node_hash("here"))], (), effect=effect)
    assert state == {}
    assert undo(state, journal, journal)[0] == STATE


def test_nothing_is_taken_back_twice():
    state, journal = apply_ops(STATE, [create("atom:IA-1", "x")], (), effect=effect)
    undone, after = undo(state, journal, journal)
    assert live(after) == ()
    with pytest.raises(StaleError, match="taken back already"):
        undo(undone, after, journal)


def test_undo_takes_back_the_last_batch_that_still_stands():
    first, journal = apply_ops(STATE, [create("atom:IA-1", "x")], (), effect=effect)
    second, journal = apply_ops(first, [create("atom:IA-2", "y")], journal, effect=effect)
    third, journal = undo(second, journal, last_batch(journal))
    assert (third, [entry.target for entry in last_batch(journal)]) == (first, ["atom:IA-1"])
