import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.errors import PatchError, RefusedError
from pactkeeper.ledger.decision import Decision, Review, bind, decode_review, encode_review
from pactkeeper.ledger.health import ACTORS, ASSURANCES, at_least
from pactkeeper.ledger.patch import Patch
from tests.ledger.strategies import WORDS, create, json_objects

OP = create("atom:IA-1", "Login: an expired token is refused.")
PATCH = Patch("v1:base", (OP, create("atom:IA-2", "x")))
NOON = "2026-11-20T12:00:00Z"
ACCEPT = Decision(OP.id, OP.shown_hash, "accept", "ada", NOON)
EDIT = replace(ACCEPT, verdict="edit", edited={**OP.payload, "description": "Login: old tokens are refused."})


def test_decisions_come_in_the_order_of_the_patch():
    second = replace(ACCEPT, op=PATCH.ops[1].id, shown_hash=PATCH.ops[1].shown_hash)
    assert list(bind(PATCH, [second, ACCEPT])) == [op.id for op in PATCH.ops]


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        ([replace(ACCEPT, op="op-000000000000")], "no such op"),
        ([replace(ACCEPT, shown_hash="v1:" + "0" * 64)], "the patch shows"),
        ([ACCEPT, replace(ACCEPT, verdict="reject")], "decided twice"),
        ([replace(EDIT, edited={**OP.payload, "category": "nice"})], "edited.category"),
        ([replace(EDIT, edited={**OP.payload, "atomId": "IA-9"})], "atomId cannot be edited"),
        ([replace(EDIT, edited={"description": "x"})], "sourceTest"),
    ],
)
def test_a_decision_that_is_not_on_what_the_patch_shows_is_refused(decisions, message: str):
    with pytest.raises(RefusedError, match=message):
        bind(PATCH, decisions)


def test_every_decision_that_does_not_hold_is_named():
    wrong = [replace(ACCEPT, op=f"op-{digit * 12}") for digit in "123"]
    with pytest.raises(RefusedError) as error:
        bind(PATCH, wrong)
    assert all(one.op in str(error.value) for one in wrong)


def test_an_edit_of_the_words_holds():
    assert bind(PATCH, [EDIT])[OP.id] == EDIT


@pytest.mark.parametrize("change", [{"verdict": "edit"}, {"edited": {}}])
def test_an_edit_and_only_an_edit_has_a_payload(change):
    with pytest.raises(ValueError, match="only an edit"):
        replace(ACCEPT, **change)


def test_assurance_grows_from_terminal_to_ci():
    assert [at_least(one, "signed") for one in ASSURANCES] == [False, False, True, True]


@given(
    st.lists(
        st.builds(
            Decision,
            op=st.just(OP.id),
            shown_hash=st.just(OP.shown_hash),
            verdict=st.just("edit"),
            by=WORDS,
            at=WORDS,
            actor=st.sampled_from(ACTORS),
            assurance=st.sampled_from(ASSURANCES),
            reason=WORDS,
            edited=json_objects,
        ),
        max_size=3,
    )
)
def test_a_review_survives_its_text_form(decisions: list[Decision]):
    review = Review(PATCH.hash, (ACCEPT, *decisions))
    assert decode_review(encode_review(review)) == review


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "maybe"}, "'maybe' is not one of"),
        ({"actor": "root"}, "'root' is not one of"),
        ({"by": ""}, "by"),
        ({"extra": 1}, "unknown key"),
        ({"op": "atom:IA-1"}, "op"),
        ({"edited": {}}, "only an edit"),
    ],
)
def test_a_review_that_says_something_else_is_refused(change, message: str):
    document = json.loads(encode_review(Review(PATCH.hash, (ACCEPT,))))
    document["decisions"][0].update(change)
    with pytest.raises(PatchError, match=message):
        decode_review(json.dumps(document))


def test_what_is_listed_as_open_decides_nothing_until_somebody_changes_it():
    other = PATCH.ops[1]
    text = encode_review(Review(PATCH.hash, (ACCEPT,)), waiting={other.id: (other.shown_hash, ["create atom:IA-2"])})
    assert decode_review(text) == Review(PATCH.hash, (ACCEPT,))
    document = json.loads(text)
    assert document["decisions"][1]["shows"] == ["create atom:IA-2"]
    document["decisions"][1].update(verdict="reject", reason="too vague")
    decided = decode_review(json.dumps(document), by="ada", at=NOON).decisions[1]
    assert decided == Decision(other.id, other.shown_hash, "reject", "ada", NOON, reason="too vague")
    assert list(bind(PATCH, [decided])) == [other.id]


@pytest.mark.parametrize("given", [{"by": "ada"}, {"at": NOON}, {}])
def test_a_decision_that_names_nobody_or_no_time_is_refused(given):
    item = {"op": OP.id, "shown_hash": OP.shown_hash, "verdict": "accept"}
    document = {"schema": "pactkeeper.review/1", "patch": PATCH.hash, "decisions": [item]}
    with pytest.raises(PatchError, match="who decided and when"):
        decode_review(json.dumps(document), **given)
