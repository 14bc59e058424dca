"""Which new test a lost one became."""

from dataclasses import replace

import pytest

from pactkeeper.intent.claims import Claim, Name
from pactkeeper.intent.strength.change import Paired
from pactkeeper.intent.strength.facts import Fact, Strength
from pactkeeper.intent.strength.renamed import with_renamed

A, B, C, D = (Fact(Claim("truthy", Name(name))) for name in "abcd")


def lost(name: str, *facts: Fact) -> Paired:
    return Paired(f"t.py::{name}", "", Strength(facts), None)


def new(name: str, *facts: Fact, path: str = "t.py") -> Paired:
    return Paired("", f"{path}::{name}", None, Strength(facts))


@pytest.mark.parametrize("beside", [(), (new("other", A),), (new("other", D),)])
def test_a_lost_test_became_the_new_one_that_has_most_of_its_assertions(beside):
    before, after = lost("old", A, B, C), new("renamed", A, B)
    paired = replace(before, after=after.after, new=after.new)
    assert with_renamed([before, after, *beside]) == [paired, *beside]


@pytest.mark.parametrize(
    "pairs",
    [
        [lost("old", A, B, C), new("one", A)],
        [lost("old", A, B), new("one", A), new("two", B)],
        [lost("old", A), lost("older", B), new("both", A, B)],
        [lost("old", A, B), new("one", A, B, path="u.py")],
        [lost("old", A, B), replace(new("rows", A, B), new=Strength((A, B), rows=3))],
        [lost("old"), new("one", A)],
    ],
    ids=["less than half", "as much as another", "merged", "in another file", "other rows", "nothing asserted"],
)
def test_a_lost_test_that_may_be_any_or_none_is_left_alone(pairs):
    assert with_renamed(pairs) == pairs
