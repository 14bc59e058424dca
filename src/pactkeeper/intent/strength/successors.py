"""What a new test of the same file asserts in place of a test that is gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pactkeeper.intent.strength.change import Change, Paired, Severity, facet_change
from pactkeeper.intent.strength.facts import (
    Fact,
    Strength,
    as_firm,
    compare,
    is_converted,
    loosened,
    no_narrower,
    same_value,
)
from pactkeeper.intent.strength.matching import WATCHING

_LESS = "a renamed test asserts less"


def say_less(
    pair: Paired, lost: Sequence[Fact], fresh: Mapping[str, Strength], severity: Severity
) -> Iterator[tuple[Fact, Change]]:
    """Yield lost assertions with the change to the one about the same value that a new test of the file makes.

    A value that any new test of the file pins down as much is left out.
    """
    path = pair.before.partition("::")[0]
    near = {test: one for test, one in fresh.items() if test.partition("::")[0] == path}
    every = [one for strength in near.values() for one in strength.facts]
    for fact in lost:
        if any(_as_firm(fact, one) for one in every):
            continue
        found = ((test, one) for test, strength in near.items() for one in strength.facts if _says_less(fact, one))
        test, other = next(found, ("", None))
        if other is not None:
            yield fact, facet_change("loosened", Paired(pair.before, test, pair.old, near[test]), _LESS, fact, other,
                                     severity=severity)  # fmt: skip


def like(fact: Fact, others: Sequence[Fact]) -> Fact | None:
    """Return the one of other assertions that is about the same value, or None."""
    return next((one for one in others if _about_same(fact, one)), None)


def _about_same(fact: Fact, other: Fact) -> bool:
    one, two = fact.claim, other.claim
    if one.relation in WATCHING or two.relation in WATCHING:
        return one.relation == two.relation and one.object == two.object
    return one.subject == two.subject


def _as_firm(fact: Fact, other: Fact) -> bool:
    firm = as_firm(fact.claim, other.claim) and compare(fact, other) != "weaker"
    return firm and same_value(fact.claim.subject, other.claim.subject)


def _says_less(fact: Fact, other: Fact) -> bool:
    if not _about_same(fact, other) or is_converted(fact.claim, other.claim):
        return False
    return compare(fact, other) == "weaker" or (loosened(fact.claim, other.claim) and no_narrower(fact, other))
