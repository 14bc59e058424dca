from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.atoms import Atom, Frozen
from pactkeeper.intent.commitments import (
    commitment_hash,
    commitment_id,
    contradictions,
    identity_of,
    in_order,
    new_commitment,
    signed_bytes,
    tips,
)

OLD, NEW = Atom("IA-1", "A login works."), Atom("IA-2", "A login is refused.", supersedes="IA-1", outcomes=("401",))
AT = "2030-01-01T00:00:00+00:00"


def made(*atoms, **changes):
    values = {"by": "Ada <ada@example.org>", "at": AT, "assurance": "terminal", "overrides": {}, "after": {}}
    return new_commitment(atoms or (OLD, NEW), **{**values, **changes})


def test_a_fresh_commitment_does_not_contradict_itself():
    assert list(contradictions(made())) == []


def test_the_same_act_has_the_same_id_in_whatever_order_the_atoms_come():
    assert made(OLD, NEW) == made(NEW, OLD)
    assert commitment_hash(made(OLD, NEW)) == commitment_hash(made(NEW, OLD))


CHANGES = {
    "by": "Eve <eve@example.org>",
    "at": "2031-01-01T00:00:00+00:00",
    "assurance": "signed",
    "overrides": {"INV-002": "because"},
    "after": {"COM-1": "v1:aa"},
    "frozen": {"IA-1": OLD.frozen_hash()},
    "words": {"IA-1": OLD.frozen(), "IA-2": Frozen("A login is accepted.")},
    "replaces": {},
}


@pytest.mark.parametrize("field", CHANGES)
def test_every_word_of_a_commitment_takes_part_in_its_id_and_in_what_is_signed(field):
    changed = replace(made(), **{field: CHANGES[field]})
    assert commitment_id(changed) != made().id
    assert signed_bytes(changed) != signed_bytes(made())
    assert f"what it says has the id {commitment_id(changed)}" in list(contradictions(changed))


def test_the_signature_is_not_signed_and_still_part_of_the_whole():
    signed = replace(made(assurance="signed"), signature="…")
    assert signed_bytes(signed) == signed_bytes(made(assurance="signed"))
    assert commitment_hash(signed) != commitment_hash(made(assurance="signed"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"assurance": "signed"}, 'it has no signature and says assurance = "signed"'),
        ({"signature": "…"}, 'it has a signature and says assurance = "terminal"'),
        ({"words": {"IA-1": OLD.frozen()}}, "it does not hold the words of IA-2"),
        ({"words": CHANGES["words"]}, "its words of IA-2 do not have the hash that it froze"),
        ({"replaces": {"IA-3": "IA-1"}}, "it speaks of IA-3 without freezing them"),
    ],
)
def test_a_contradiction_is_named_even_where_the_id_was_made_to_fit(changes, said):
    changed = replace(made(), **changes)
    assert list(contradictions(replace(changed, id=commitment_id(changed)))) == [said]


def test_tips_are_what_nothing_was_made_on_top_of():
    first = made(OLD)
    second = made(NEW, after=tips([first]))
    third = made(NEW, at="2032-01-01T00:00:00+00:00", after=tips([first]))
    assert tips([first]) == {first.id: commitment_hash(first)}
    assert set(tips([third, first, second])) == {second.id, third.id}


def test_a_commitment_follows_those_that_it_was_made_on_top_of_whatever_the_clock_said():
    first = made(OLD, at="2030-01-01T14:00:00+00:00")
    second = made(OLD, assurance="signed", at="2030-01-01T12:00:00+00:00", after=tips([first]))
    third = made(NEW, at="2030-01-01T12:30:00+00:00", after=tips([second]))
    assert in_order([third, second, first]) == (first, second, third)


def test_commitments_of_two_branches_are_in_the_order_of_their_moments():
    early, late = made(OLD, at="2030-01-01T13:30:00+02:00"), made(NEW, at="2030-01-01T12:00:00+00:00")
    assert in_order([late, early]) == (early, late)


def test_commitments_that_claim_to_follow_each_other_are_all_listed():
    one, other = made(OLD), made(NEW)
    circle = [replace(one, after={other.id: ""}), replace(other, after={one.id: ""})]
    assert {found.id for found in in_order(circle)} == {one.id, other.id}


@pytest.mark.parametrize(
    ("by", "identity"), [("Ada <ada@example.org>", "ada@example.org"), ("ada", "ada"), ("a <b> <c@d>", "c@d")]
)
def test_a_person_is_known_by_the_mail_address(by, identity):
    assert identity_of(by) == identity


TEXTS = st.text(min_size=1, max_size=8)


@given(st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3))
def test_no_two_different_outcomes_freeze_alike(one, other):
    hashes = [Frozen("x", outcomes=tuple(texts)).hash() for texts in (one, other)]
    assert (hashes[0] == hashes[1]) == (one == other)
