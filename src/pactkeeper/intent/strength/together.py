"""What equalities say together: `a == 3` and `b == 3` say as much as `3 == a == b`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pactkeeper.intent.claims import Attribute, Call, Expression, Name, Subscript
from pactkeeper.intent.strength.expected import is_wildcard
from pactkeeper.intent.strength.facts import Fact, implies, no_narrower
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.ledger.canonical import by_key


def said_together(fact: Fact, now: Sequence[Fact], was: Sequence[Fact]) -> bool:
    """Whether an equality of one state follows from several of the other but from none alone, at as many moments."""
    if not _is_equality(fact):
        return False
    told = by_key((one.moment, one) for one in now if _is_equality(one) and no_narrower(one, fact))
    found = sum(_follows(fact, _values(facts)) for facts in told.values())
    often = found >= len({one.moment for one in was if one == fact})
    return often and not any(implies(one, fact) for one in now)


def links_two(fact: Fact) -> bool:
    """Whether it is an equality of two values neither of which is written out."""
    return _is_equality(fact) and fact.claim.object is not None and not is_constant(fact.claim.object)


def _is_equality(fact: Fact) -> bool:
    claim = fact.claim
    plain = not (claim.negated or claim.qualifiers or claim.each or claim.alternatives)
    return fact.awaited and plain and claim.relation == "equals"


def _follows(fact: Fact, values: Mapping[Expression, Expression]) -> bool:
    one, other = fact.claim.subject, fact.claim.object
    value = values.get(one)
    return other is not None and value is not None and value == (other if is_constant(other) else values.get(other))


def _values(facts: Sequence[Fact]) -> Mapping[Expression, Expression]:
    """Return the constants that some terms equal, by themselves or because they equal a term that does."""
    found: dict[Expression, Expression] = {}
    linked: list[tuple[Expression, Expression]] = []
    for fact in facts:
        one, other = fact.claim.subject, fact.claim.object
        if other is not None and is_constant(other):
            if found.setdefault(one, other) != other:
                return {}  # its state changes in between
        elif other is not None:
            linked += [(one, other), (other, one)]
    for _ in linked if found else ():
        more = {other: found[one] for one, other in linked if one in found and _is_read(other)}
        if more.keys() <= found.keys():
            break
        found = {**more, **found}
    return found


def _is_read(one: Expression) -> bool:
    return isinstance(one, Attribute | Call | Name | Subscript) and not is_wildcard(one)
