"""Tables that a test is tried with may get more entries."""

import pytest

from pactkeeper.intent.claims import Argument, Attribute, Call, Collection, Name, Value
from pactkeeper.intent.strength.inputs import grew


def call(function, *given):
    return Call(function, tuple(map(Argument, given)))


def table(kind, *values):
    return Collection(kind, tuple(Value("number", str(value)) for value in values))


FEW, MORE = table("mapping", 1, 2), table("mapping", 0, 9, 1, 2)
JOINED = Attribute(call(Name("find")), "concat")
GREW = {
    "a mapping": (call(Name("find"), FEW), call(Name("find"), MORE), True),
    "a list": (call(Name("find"), table("list", 1, 3)), call(Name("find"), table("list", 1, 2, 3)), True),
    "a list in another order": (call(Name("find"), table("list", 1, 3)), call(Name("find"), table("list", 3, 2, 1)), False),
    "a mapping in another order": (call(Name("find"), MORE), call(Name("find"), table("mapping", 1, 2, 0, 9, 3, 3)), False),
    "nothing else": (call(Name("find"), FEW), call(Name("find"), FEW), False),
    "a table of a table": (call(Name("find"), Collection("mapping", (Name("a"), FEW))), call(Name("find"), Collection("mapping", (Name("a"), MORE))), True),
    "a tuple": (call(Name("find"), table("tuple", 1)), call(Name("find"), table("tuple", 1, 2)), False),
    "what the language makes of it": (call(Name("dict"), FEW), call(Name("dict"), MORE), False),
    "what is put into a result": (call(JOINED, table("list", 1)), call(JOINED, table("list", 1, 2)), False),
    "what another function gets": (call(Name("find"), FEW), call(Name("seek"), MORE), False),
    "one argument more": (call(Name("find"), FEW), call(Name("find"), FEW, MORE), False),
    "no input": (FEW, MORE, False),
    "an entry gone": (call(Name("find"), MORE), call(Name("find"), FEW), False),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "more"), GREW.values(), ids=GREW)
def test_only_tables_of_literals_that_the_product_gets_may_grow(old, new, more):
    assert grew(old, new, {"dict"}) is more
