"""The one codec of published results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType

import pytest

from pactkeeper.published.plain import Codec, plain


@dataclass(frozen=True, slots=True)
class _Leg:
    town: str
    day: date


@dataclass(frozen=True, slots=True)
class _Trip:
    name: str
    legs: tuple[_Leg, ...] = ()
    home: _Leg | None = None
    notes: Mapping[str, _Leg] = field(default_factory=dict)

    @property
    def length(self) -> int:
        return len(self.legs)


LEG = Codec(_Leg, "place=town day")
BERN, ROME = _Leg("Bern", date(2026, 3, 1)), _Leg("Rome", date(2026, 3, 2))


def test_members_come_by_their_names_in_the_order_that_was_written():
    found = Codec(_Trip, "length title=name start=home.town")(_Trip("South", (BERN,), home=ROME))
    assert list(found.items()) == [("length", 1), ("title", "South"), ("start", "Rome")]


def test_a_codec_of_a_member_is_applied_to_each_of_them_and_none_stays_none():
    codec = Codec(_Trip, "legs home notes", legs=LEG, home=LEG, notes=LEG)
    bern, rome = {"place": "Bern", "day": "2026-03-01"}, {"place": "Rome", "day": "2026-03-02"}
    assert codec(_Trip("South", (BERN, ROME), notes={"end": ROME})) == {
        "legs": [bern, rome],
        "home": None,
        "notes": {"end": rome},
    }


def test_a_member_without_an_attribute_is_made_of_the_whole_value():
    assert Codec(_Trip, "far=", far=lambda trip: trip.length > 1).each([_Trip("a"), _Trip("b", (BERN, ROME))]) == [
        {"far": False},
        {"far": True},
    ]


def test_a_name_that_the_type_does_not_have_is_refused_when_the_codec_is_made():
    with pytest.raises(TypeError, match="_Trip has no nmae"):
        Codec(_Trip, "nmae length")
    with pytest.raises(TypeError, match="_Trip has no legs"):
        Codec(_Trip, "name", legs=LEG)


def test_what_has_no_form_in_json_is_refused_and_any_mapping_has_one():
    assert plain({"a": MappingProxyType({"b": {2, 1}})}) == {"a": {"b": [1, 2]}}
    with pytest.raises(TypeError, match="object has no form in JSON"):
        plain(object())


def test_a_member_of_the_whole_value_without_a_way_to_make_it_is_refused():
    with pytest.raises(TypeError, match="_Trip has no far"):
        Codec(_Trip, "far=")
