import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.shape import (
    Anything,
    Choice,
    Entries,
    Items,
    Keyed,
    Optional,
    Quote,
    Shape,
    Tagged,
    Text,
    Truth,
    Whole,
    json_schema,
    misfits,
)
from tests.ledger.strategies import json_values

LEAVES: st.SearchStrategy[Shape] = st.sampled_from(
    [Text(), Text(1, 3), Text(pattern="[ab]+"), Quote(4), Whole(), Whole(0, 9), Truth(), Choice(("a", "b")), Anything()]
)
SHAPES: st.SearchStrategy[Shape] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Items, inner, st.integers(0, 1), st.none() | st.integers(1, 2)),
        st.builds(Optional, inner),
        st.builds(Entries, inner),
        st.builds(
            Keyed,
            st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            st.dictionaries(st.sampled_from("cd"), inner, max_size=2),
        ),
    ),
    max_leaves=4,
)


def fitting(shape: Shape) -> st.SearchStrategy:
    match shape:
        case Items(of, least, most):
            return st.lists(fitting(of), min_size=least, max_size=2 if most is None else most)
        case Keyed(required, optional):
            return st.fixed_dictionaries(
                {key: fitting(of) for key, of in required.items()},
                optional={key: fitting(of) for key, of in optional.items()},
            )
        case Entries(of):
            return st.dictionaries(st.sampled_from("xy"), fitting(of), max_size=2)
        case Optional(of):
            return st.none() | fitting(of)
        case Anything():
            return json_values
        case _:
            samples: list[JsonValue] = ["a", "ab", 0, 5, True]
            return st.sampled_from([value for value in samples if not list(misfits(value, shape))])


@given(SHAPES, json_values)
def test_the_published_schema_accepts_exactly_what_the_checker_accepts(shape: Shape, value):
    assert Draft202012Validator(json_schema(shape)).is_valid(value) == (not list(misfits(value, shape)))


@given(st.data(), SHAPES)
def test_both_accept_what_was_made_to_fit(data: st.DataObject, shape: Shape):
    value = data.draw(fitting(shape))
    assert list(misfits(value, shape)) == []
    Draft202012Validator(json_schema(shape)).validate(value)


@pytest.mark.parametrize(
    ("value", "shape", "message"),
    [
        (True, Whole(), "$: True is not a whole number"),
        (10, Whole(0, 9), "$: 10 is not a whole number from 0 to 9"),
        (-1, Whole(least=0), "$: -1 is not a whole number of at least 0"),
        (1, Truth(), "$: 1 is not true or false"),
        ("abcd", Text(most=3), "$: 'abcd' is not text of a length from 0 to 3"),
        ("a\n", Text(pattern="a"), "$: 'a\\n' is not text that matches a"),
        ("c", Choice(("a", "b")), "$: 'c' is not one of a, b"),
        ({"a": 1}, Items(Text()), "$: {'a': 1} is not a list"),
        ([1], Items(Text()), "$[0]: 1 is not text"),
        ([], Items(Text(), least=1), "$: has 0 members where a number of at least 1 is expected"),
        ([], Keyed(), "$: [] is not an object"),
        ({"b": 1}, Keyed({}, {"a": Truth()}), "$.b: unknown key; known are a"),
        ({}, Keyed({"a": Truth()}), "$: the key 'a' is missing"),
        ({"a": 1}, Entries(Text()), "$.a: 1 is not text"),
        ({"t": "z"}, Tagged("t", {"x": Keyed()}), "$.t: 'z' is not one of x"),
    ],
)
def test_a_misfit_says_where_what_and_what_was_expected(value, shape: Shape, message: str):
    assert [str(one) for one in misfits(value, shape)] == [message]


def test_every_misfit_is_found_at_once():
    shape = Keyed({"a": Whole(), "b": Items(Text())})
    assert len(list(misfits({"a": "x", "b": [1, "y", 2], "c": 0}, shape))) == 4
