from dataclasses import replace
from typing import get_args

import pytest

from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.intent.claims import AmbiguityReason
from pactkeeper.ledger.canonical import JsonValue, canonical_json
from pactkeeper.ledger.finding import RISKS, Evidence
from pactkeeper.ledger.op import AMBIGUITY_REASONS, CATEGORY, PATH, VERBS, Op, encode_op, kept_op
from pactkeeper.ledger.shape import Choice, misfits
from tests.ledger.strategies import attach, create

OP = create("atom:IA-7F3KQ9T", "Login: an expired token is refused.")


@pytest.mark.parametrize(
    "change",
    [
        {"target": "atom:IA-2"},
        {"precondition": "v1:" + "0" * 64},
        {"payload": {**OP.payload, "description": "Login: an expired token is accepted."}},
    ],
)
def test_an_op_that_would_do_something_else_has_another_id(change):
    changed = replace(OP, **change)
    assert changed.id != OP.id
    assert changed.shown_hash != OP.shown_hash


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": (Evidence("quoted", "tests/test_a.py", 3, quote="assert True"),)},
        {"confidence": "0.86"},
        {"group": "tests/test_a.py"},
        {"depends_on": ("op-000000000000",)},
    ],
)
def test_everything_that_is_shown_is_in_the_shown_hash_and_reasons_are_not_in_the_id(change):
    changed = replace(OP, **change)
    assert changed.id == OP.id
    assert changed.shown_hash != OP.shown_hash


def test_a_moved_line_of_evidence_is_something_else_to_be_shown():
    first, second = (replace(OP, evidence=(Evidence("quoted", "a.py", line),)) for line in (3, 4))
    assert first.shown_hash != second.shown_hash


KEPT = replace(
    OP,
    group='","id":"op-000000000000","shown_hash":"',
    evidence=(Evidence("quoted", "tests/test_a.py", 3, quote='{"id":"op-000000000000","payload":{}}'),),
    depends_on=("op-000000000000",),
)


@pytest.mark.parametrize("op", [OP, KEPT, attach("test:a", "v1:" + "0" * 64, "IA-1")])
def test_a_kept_op_comes_back_as_it_was(op: Op):
    assert kept_op(canonical_json(encode_op(op)).decode()) == op


@pytest.mark.parametrize(
    "change",
    [
        {"id": "op-000000000000"},
        {"shown_hash": "v1:" + "0" * 64},
        {"risk": "irreversible"},
        {"payload": {**OP.payload, "description": "Login: an expired token is accepted."}},
        {"confidence": "1.00"},
        {"group": "tests/test_b.py::test_y"},
        {"depends_on": []},
    ],
)
def test_a_kept_op_that_was_changed_is_refused(change):
    with pytest.raises(ValueError, match="other content"):
        kept_op(canonical_json({**encode_op(KEPT), **change}).decode())


def test_an_op_does_not_change_with_the_payload_it_was_made_from():
    payload: dict[str, JsonValue] = {"testId": "tests/test_a.py::test_x"}
    op = Op("detachTest", "test:x", None, payload)
    payload["testId"] = "tests/test_b.py::test_y"
    assert op.payload == {"testId": "tests/test_a.py::test_x"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verb": "deleteAtom"}, "'deleteAtom' is not a verb"),
        ({"verb": "invariantViolationFinding"}, "not a verb that can be applied"),
        ({"confidence": "0.853"}, "decimal of two digits"),
        ({"confidence": "1.01"}, "decimal of two digits"),
        ({"target": ""}, "the target is empty"),
        ({"payload": {**OP.payload, "colour": "red"}}, "payload.colour: unknown key"),
        ({"payload": {**OP.payload, "category": "nice"}}, "payload.category: 'nice'"),
    ],
)
def test_an_op_that_nobody_could_apply_cannot_be_made(change, message: str):
    with pytest.raises(ValueError, match=message):
        replace(OP, **change)


def test_the_risk_of_an_op_is_its_verbs_and_nobody_elses():
    with pytest.raises((TypeError, ValueError)):
        replace(OP, risk="record")
    assert attach("test:a", None, "IA-1").risk == "annotate"
    assert {verb.risk for verb in VERBS.values()} <= set(RISKS)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.py", "a/../../x.py", "a/..", "", "a\n/../b"])
def test_a_path_out_of_the_repository_is_no_path_of_a_payload(path: str):
    assert list(misfits(path, PATH))


@pytest.mark.parametrize("path", ["tests/test_a.py", "a..b/..c.py", ".hidden/t.py", "a b/ü.ts", "a\nb.py"])
def test_odd_names_inside_the_repository_are_paths(path: str):
    assert not list(misfits(path, PATH))


def test_the_wire_names_of_intent_are_the_ones_intent_uses():
    assert Choice(CATEGORIES) == CATEGORY
    assert AMBIGUITY_REASONS.of == Choice(get_args(AmbiguityReason))


def test_what_a_reviewer_may_edit_is_part_of_the_payload():
    for verb in VERBS.values():
        assert verb.editable <= {*verb.payload.required, *verb.payload.optional}, verb.name
