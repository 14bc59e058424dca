import pytest

from pactkeeper.store.history import History
from pactkeeper.store.waiting import applied_in, entry_name, note_applied, note_undone
from tests.store.rows import AT, LATER

FIRST, SECOND, THIRD, FOURTH = (entry_name(number, AT) for number in (1, 2, 3, 4))


def applied_ops(history: History) -> frozenset[str]:
    with history.database.read() as connection:
        return applied_in(connection, history)


def test_an_applied_op_is_remembered(history):
    note_applied(history, FIRST, "pa-1", ["op-1", "op-2"], at=AT)
    assert applied_ops(history) == {"op-1", "op-2"}


def test_nothing_is_applied_at_first(history):
    assert applied_ops(history) == frozenset()


def test_the_same_entry_noted_twice_counts_once(history):
    for _ in range(2):
        note_applied(history, FIRST, "pa-1", ["op-1"], at=AT)
    note_undone(history, FIRST, SECOND, at=LATER)
    assert applied_ops(history) == frozenset()


def test_what_is_taken_back_is_not_applied(history):
    note_applied(history, FIRST, "pa-1", ["op-1"], at=AT)
    note_applied(history, SECOND, "pa-1", ["op-2"], at=AT)
    note_undone(history, FIRST, THIRD, at=LATER)
    assert applied_ops(history) == {"op-2"}


def test_an_op_may_be_applied_again(history):
    note_applied(history, FIRST, "pa-1", ["op-1"], at=AT)
    note_undone(history, FIRST, SECOND, at=AT)
    note_applied(history, THIRD, "pa-1", ["op-1"], at=LATER)
    assert applied_ops(history) == {"op-1"}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 1, 2, 0, 1)])
def test_an_undo_that_is_taken_back_counts_for_nothing_in_whatever_order_it_is_noted(history, order):
    steps = (
        lambda: note_applied(history, FIRST, "pa-1", ["op-1"], at=AT),
        lambda: note_undone(history, FIRST, SECOND, at=AT),
        lambda: note_undone(history, SECOND, THIRD, at=LATER),
    )
    for index in order:
        steps[index]()
    assert applied_ops(history) == {"op-1"}
    note_undone(history, THIRD, FOURTH, at=LATER)
    assert applied_ops(history) == frozenset()


def test_two_clones_may_number_their_entries_alike(history):
    note_applied(history, entry_name(1, AT), "pa-1", ["op-1"], at=AT)
    note_applied(history, entry_name(1, LATER), "pa-2", ["op-2"], at=LATER)
    note_undone(history, entry_name(1, AT), entry_name(2, LATER), at=LATER)
    assert applied_ops(history) == {"op-2"}


def test_two_repositories_apply_for_themselves(history, neighbour):
    note_applied(history, FIRST, "pa-1", ["op-1"], at=AT)
    note_applied(neighbour, FIRST, "pa-1", ["op-1"], at=AT)
    note_undone(neighbour, FIRST, SECOND, at=AT)
    assert applied_ops(history) == {"op-1"}
    assert applied_ops(neighbour) == frozenset()
