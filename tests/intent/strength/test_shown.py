"""Facets as a person reads them."""

from __future__ import annotations

import pytest

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Value,
)
from pactkeeper.intent.strength.change import beside, shown, term_text
from pactkeeper.intent.strength.facts import Fact
from pactkeeper.intent.strength.terms import digest

ROWS, ITEM, GIVEN = Name("rows"), Name("each·0"), Name("given·0")
PATH = Operation("/", (Name("FOLDER"), Value("string", "a.txt")))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Operation("member", (Call(Name("read")), Name("0"))), "read()[0]"),
        (Operation("each", (Attribute(ITEM, "id"), ITEM, ROWS)), "[x.id for x in rows]"),
        (Operation("each", (ITEM, ITEM, ROWS, Attribute(ITEM, "ok"))), "[x for x in rows if x.ok]"),
        (Operation("=>", (Operation("given", (Name("1"),)), Attribute(GIVEN, "id"))), "(a) => a.id"),
        (Operation("if-else", (Name("a"), Name("b"), Name("c"))), "a if b else c"),
        (Operation("stored", (Collection("list"),)), "[]"),
        (Operation("object", (Operation("spread", (Name("job"),)),)), "{*job}"),
        (Operation("row", (Opaque("cases"), Name("1"))), "(a row of cases)[1]"),
        (Operation("text", (Value("string", "to "), Name("host"))), "f'to {host}'"),
        (Call(Attribute(PATH, "read_text")), "(FOLDER / 'a.txt').read_text()"),
        (Call(Name("f"), (Argument(PATH),)), "f(FOLDER / 'a.txt')"),
        (Operation("/", (PATH, Name("b"))), "FOLDER / 'a.txt' / b"),
        (Operation("augmented_assignment_expression+=", (Name("a"), Name("b"))), "a += b"),
        (Operation("each", (ITEM,)), "each x"),
    ],
)
def test_a_term_reads_like_code(term: Expression, text: str) -> None:
    assert term_text(term) == text


def test_what_stands_for_a_long_term_is_not_shown() -> None:
    old, new = (f"{term_text(digest(Name(name)))} == 3" for name in "ab")

    assert old != new
    assert beside(old, f"{new} or x") == ("… == 3", "… == 3 or x")
    assert beside(old, new) == ("… == 3", "… == 3 (with another … than before)")


def test_an_assertion_with_a_long_term_is_shown_with_its_line_of_code() -> None:
    claim = Claim("less", digest(Name("a")), Value("number", "0.25"))
    said = shown(Fact(claim, quote="expect(slope).toBeLessThan(0.25)"))
    assert beside(said, "")[0] == "… < 0.25, by expect(slope).toBeLessThan(0.25)"
    assert shown(Fact(Claim("truthy", Name("a")), quote="expect(a).toBeTruthy()")) == "a is truthy"


def test_long_assertions_are_cut_in_the_middle() -> None:
    old = f"naturaltime(datetime.now(tz=timezone.utc) - timedelta({'seconds=3, ' * 9})) == 'il y a 3 secondes'"
    told, instead = beside(old, f"{old} if x")
    assert told.startswith("naturaltime(datetime.now(")
    assert (told[-21:], instead[-26:]) == (" == 'il y a 3 secondes'"[-21:], " == 'il y a 3 secondes' if x"[-26:])
    assert len(instead) < len(old)


def test_a_value_that_is_there_and_a_tuple_of_one_are_shown_as_such() -> None:
    alone = Collection("tuple", (Value("number", "1"),))
    assert shown(Fact(Claim("exists", Name("a")))) == "a is there"
    assert shown(Fact(Claim("equals", Name("a"), Collection("list", (alone,))))) == "a == [(1,)]"
