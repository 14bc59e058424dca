"""A review as a value: what is shown, where the reader is, and the way back."""

from dataclasses import replace

import pytest

from pactkeeper.ledger.decision import Decision, Review
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.decide import Bar, Pending, ReviewItem
from pactkeeper.operators.sitting import (
    begin,
    counts,
    decided,
    facing,
    filtered,
    in_bulk,
    moved,
    moved_suite,
    of_suite,
    reworded,
    standing,
    taken_back,
    worded,
)
from tests.store.rows import AT, attach_op, create_op

NAMES = ("tests/a.py::one", "tests/a.py::two", "tests/b.py::three", "tests/b.py::four")


def item_of(number, name, *, needs=(), score=90):
    create = create_op(f"IA-{number}", name)
    create = replace(create, payload={**create.payload, "qualityScore": score})
    return ReviewItem(name, (create, attach_op(create)), (), needs)


def sitting_of(*, poor=()):
    scores = {name: 20 if name in poor else 90 for name in NAMES}
    items = tuple(item_of(number, name, score=scores[name]) for number, name in enumerate(NAMES, start=1))
    patch = Patch("v1:base", tuple(op for item in items for op in item.ops))
    return begin(Pending(patch, Review(patch.hash), items, Bar(patch.ops)))


def say(item, verdict="accept"):
    return [Decision(op.id, op.shown_hash, verdict, "Ada", AT) for op in item.ops]


def words_of(sitting, item):
    """The op that has an item's words, and the payload that stands."""
    found = worded(sitting, item)
    assert found is not None
    return found


def accept(sitting):
    return decided(sitting, say(sitting.current))


def test_an_answer_goes_on_to_the_next_open_item_and_comes_round_to_what_was_passed():
    sitting = accept(moved(sitting_of(), 1))
    assert sitting.at == NAMES[2]
    sitting = accept(accept(sitting))
    assert sitting.at == NAMES[0]
    assert counts(sitting) == {"accepted": 3, "open": 1}


def test_the_last_answer_stays_where_it_was_given():
    sitting = sitting_of()
    for _ in NAMES:
        sitting = accept(sitting)
    assert sitting.at == NAMES[3]
    assert counts(sitting) == {"accepted": 4}


def test_undo_goes_back_to_the_item_and_opens_it_again():
    before = sitting_of()
    back = taken_back(accept(before))
    assert back is not None
    sitting, step = back
    assert sitting == before
    assert set(step.opened) == {op.id for op in before.current.ops}
    assert taken_back(sitting) is None


def test_undo_of_a_second_answer_restores_the_first():
    first = accept(sitting_of())
    again = moved(first, -1)
    back = taken_back(decided(again, say(again.current, "reject")))
    assert back is not None
    sitting, step = back
    assert standing(sitting, sitting.items[0]) == "accepted"
    assert (step.opened, {one.verdict for one in step.before}) == ((), {"accept"})


def test_undo_of_a_bulk_answer_takes_all_of_it_back():
    sitting = sitting_of()
    made = [one for item in in_bulk(sitting, sitting.shown) for one in say(item)]
    assert counts(decided(sitting, made)) == {"accepted": 4}
    back = taken_back(decided(sitting, made))
    assert back is not None
    assert counts(back[0]) == {"open": 4}


def test_bulk_leaves_out_poor_words_and_what_is_decided():
    sitting = accept(sitting_of(poor={NAMES[2]}))
    assert [item.group for item in in_bulk(sitting, sitting.shown)] == [NAMES[1], NAMES[3]]


def test_suites_are_stepped_through():
    sitting = moved_suite(sitting_of(), 1)
    assert sitting.at == NAMES[2]
    assert [item.group for item in of_suite(sitting)] == [*NAMES[2:]]
    assert moved_suite(sitting, 1).at == NAMES[2]
    assert moved_suite(moved(sitting, 1), -1).at == NAMES[2]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", NAMES),
        ("B.PY", NAMES[2:]),
        ("tests/*::t*", NAMES[1:3]),
        ("behaviour ia-4", NAMES[3:]),
        ("nowhere", ()),
        ("[", ()),
    ],
)
def test_words_filter_by_id_intent_or_pattern(words, expected):
    sitting = filtered(sitting_of(), words=words)
    assert tuple(item.group for item in sitting.shown) == expected
    assert (sitting.current is None) == (not expected)


def test_a_filter_stays_at_the_item_where_it_is_still_shown():
    sitting = filtered(moved(sitting_of(), 3), words="b.py")
    assert sitting.at == NAMES[3]
    assert filtered(sitting, words="").at == NAMES[3]


def test_what_is_shown_follows_what_was_decided():
    sitting = accept(sitting_of())
    assert [item.group for item in filtered(sitting, show="accepted").shown] == [NAMES[0]]
    assert len(filtered(sitting, show="open").shown) == 3
    assert len(filtered(sitting, show="sitting").shown) == 4


def test_moving_ends_at_the_ends():
    sitting = sitting_of()
    assert moved(sitting, -1).at == NAMES[0]
    assert moved(sitting, 99).at == NAMES[3]
    empty = filtered(sitting, words="nowhere")
    assert moved(empty, 1) == empty


def test_an_item_needs_what_is_undecided_by_now():
    create = create_op("IA-1", NAMES[0])
    first, second = ReviewItem(NAMES[0], (create,), ()), ReviewItem(NAMES[1], (attach_op(create),), (), (create,))
    patch = Patch("v1:base", (*first.ops, *second.ops))
    sitting = begin(Pending(patch, Review(patch.hash), (first, second)))
    assert facing(sitting, second).needs == (create,)
    assert accept(sitting).current.needs == ()


def test_edited_words_are_those_that_stand():
    sitting = sitting_of()
    op, payload = words_of(sitting, sitting.current)
    said = reworded(payload, "Better words.", ["The status is 401."])
    edit = Decision(op.id, op.shown_hash, "edit", "Ada", AT, edited=said)
    sitting = decided(sitting, [edit, *say(sitting.current)[1:]])
    assert words_of(sitting, sitting.items[0])[1]["description"] == "Better words."
    assert standing(sitting, sitting.items[0]) == "edited"


def test_other_outcomes_drop_what_falsified_the_old_ones():
    payload = {"description": "A.", "observableOutcomes": ["One."], "falsifiedBy": ["Not one."]}
    assert reworded(payload, "B.", ["One."])["falsifiedBy"] == ["Not one."]
    assert reworded(payload, "A.", ["Two."])["falsifiedBy"] == []
