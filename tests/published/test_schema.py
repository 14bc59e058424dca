"""Schemas are read from what publishes: a document that a codec makes fits its schema, and nothing else does."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

import pytest
from jsonschema import Draft202012Validator

from pactkeeper.ledger.finding import Evidence, Finding
from pactkeeper.ledger.patch import FINDING, encode_finding
from pactkeeper.published.plain import Codec
from pactkeeper.published.schema import OneOf, Wire, document_of, schema_of


@dataclass(frozen=True)
class Wheel:
    size: int
    pairs: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Cart:
    name: str
    wheel: Wheel
    spare: Wheel | None = None
    wheels: tuple[Wheel, ...] = ()
    colour: Literal["red", "blue"] = "red"
    rating: Mapping[str, float] | None = None

    @property
    def heavy(self) -> bool:
        return self.wheel.size > 3


class Said(TypedDict):
    word: str


def said(cart: Cart) -> Said:
    return {"word": cart.name}


SIZE = Codec(Wheel, "size")
CART = Codec(
    Cart,
    "name size=wheel.size heavy spare wheels all=wheels colour rating note?=name *said= *wheel",
    spare=SIZE,
    wheels="size",
    said=said,
    wheel=Codec(Wheel, "pairs", pairs=Codec(tuple[str, int], "left right")),
)
FULL = Cart("a", Wheel(4, (("x", 1),)), Wheel(2), (Wheel(1),), rating={"good": 0.5})


def fits(form, document):
    return Draft202012Validator(schema_of(form)).is_valid(json.loads(json.dumps(document)))


@pytest.mark.parametrize("cart", [FULL, Cart("", Wheel(1))], ids=["full", "bare"])
def test_what_a_codec_publishes_fits_its_schema(cart):
    assert fits(CART, CART(cart))


def test_a_document_with_a_name_of_its_own_does_not_fit():
    assert not fits(CART, {**CART(FULL), "more": 1})


@pytest.mark.parametrize("name", ["name", "size", "heavy", "spare", "wheels", "colour", "word", "pairs"])
def test_a_document_without_a_member_or_with_another_kind_of_it_does_not_fit(name):
    document = CART(FULL)
    assert not fits(CART, {**document, name: {"no": ["such"]}})
    del document[name]
    assert not fits(CART, document)


def test_a_member_that_may_be_left_out_is_left_out_where_it_is_empty():
    assert "note" not in CART(Cart("", Wheel(1)))
    assert fits(CART, {**CART(FULL), "note": "x"})


def test_members_of_one_form_and_of_each_of_several_stand_together():
    form = ({"kept": bool}, OneOf((SIZE, Codec(Cart, "name"))))
    assert fits(form, {"kept": True, "size": 1})
    assert fits(form, {"kept": True, "name": "a"})
    assert not fits(form, {"kept": True, "size": 1, "name": "a"})


def test_a_page_of_a_list_may_have_a_cursor():
    form = ({"wheels": [SIZE]}, {"total": int, "cursor?": str})
    assert fits(form, {"wheels": [{"size": 1}], "total": 1})
    assert fits(form, {"wheels": [], "total": 1, "cursor": "x"})
    assert not fits(form, {"wheels": [{"size": "1"}], "total": 1})


@pytest.mark.parametrize(
    ("form", "value", "document"),
    [
        (SIZE, Wheel(3), {"size": 3}),
        ({"wheels": [SIZE]}, [Wheel(1), Wheel(2)], {"wheels": [{"size": 1}, {"size": 2}]}),
        ({"spare?": SIZE}, None, {}),
        ({"spare": str | None}, None, {"spare": None}),
        ((SIZE, {"best": bool}), (Wheel(3), True), {"size": 3, "best": True}),
        ([OneOf((Codec(Cart, "name"), SIZE))], [Wheel(1), Cart("a", Wheel(2))], [{"size": 1}, {"name": "a"}]),
        (Wheel, Wheel(1, (("a", 2),)), {"size": 1, "pairs": [["a", 2]]}),
    ],
)
def test_a_form_makes_documents_that_fit_its_schema(form, value, document):
    assert json.loads(json.dumps(document_of(form, value))) == document
    assert Draft202012Validator(schema_of(form)).is_valid(document)


@pytest.mark.parametrize(("form", "value"), [((SIZE, SIZE), (Wheel(1),)), ({"a": SIZE, "b": SIZE}, Wheel(1))])
def test_a_value_that_is_not_of_the_form_is_a_bug_and_no_document(form, value):
    with pytest.raises(ValueError, match=r"argument|unpack"):
        document_of(form, value)


def test_a_finding_is_described_by_the_shape_that_its_reader_takes():
    finding = Finding("PK101", "tests/a.py::t", "error", "It is gone.", (Evidence("mechanical", "tests/a.py", 3),))
    form = {"findings": [Wire(encode_finding, FINDING)]}
    document = document_of(form, [finding])
    closed = Draft202012Validator(schema_of(form))
    assert closed.is_valid(document)
    document["findings"][0]["more"] = 1
    assert not closed.is_valid(document)
