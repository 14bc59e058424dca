"""Which objects of a test are distinct although the same expression makes them: two spies, two answers of one call.

A second object of one expression is written as an attribute of that expression, `·1`, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Expression, Operation, Subscript, descendants
from pactkeeper.intent.strength.facts import Fact
from pactkeeper.intent.strength.terms import has_call, rebuilt

ANOTHER: Final = "·"


def is_made(one: Expression | None) -> bool:
    """Whether evaluating a term again may give another object: a call, or a list of what a call gives."""
    return isinstance(one, Call) or (
        isinstance(one, Operation) and one.operator == "each" and has_call(one.operands[2])
    )


@dataclass(slots=True)
class Identities:
    """The names that hold each made object, in the order in which they came to hold it."""

    owners: dict[Expression, dict[Expression, int]] = field(default_factory=dict)

    def of(self, target: Expression, held: Expression) -> Expression:
        """Return what a name holds, told apart from what other names hold that the same call or loop made."""
        if not is_made(held):
            return held
        known = self.owners.setdefault(held, {})
        serial = known.setdefault(target, len(known))
        return Attribute(held, f"{ANOTHER}{serial}") if serial else held

    def told_apart(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return the facts; objects that no two of them tell apart are written as the expression that makes them."""
        found = list(facts)
        twins = {made for made, names in self.owners.items() if len(names) > 1}
        if not twins:
            return found
        roots = [_root(fact.claim.subject, twins) for fact in found]
        seen: dict[Expression, set[str]] = {}
        for root in roots:
            if root is not None:
                seen.setdefault(root[0], set()).add(root[1])
        kept = {made for made, names in seen.items() if len(names) > 1}
        return [
            fact if root is not None and root[0] in kept else _plain(fact)
            for fact, root in zip(found, roots, strict=True)
        ]


def _root(one: Expression | None, twins: set[Expression]) -> tuple[Expression, str] | None:
    """Return the made object that a term is read from, and which of them it is."""
    while one is not None:
        if isinstance(one, Attribute) and one.name.startswith(ANOTHER):
            return one.value, one.name
        if one in twins:
            return one, ""
        if isinstance(one, Call):
            one = one.function
        elif isinstance(one, Attribute | Subscript):
            one = one.value
        else:
            one = None
    return None


def _plain(fact: Fact) -> Fact:
    claim = fact.claim
    plain = replace(
        claim,
        subject=without_identity(claim.subject),
        object=None if claim.object is None else without_identity(claim.object),
    )
    if plain.subject == plain.object or plain == claim:
        return fact  # that two objects are equal says more than that one equals itself
    return replace(fact, claim=plain, conditions=tuple(map(without_identity, fact.conditions)))


def only_in_identity(one: Expression, other: Expression) -> bool:
    """Whether two terms differ only in which of several objects they are about."""
    return one != other and without_identity(one) == without_identity(other)


def without_identity(one: Expression) -> Expression:
    """Return a term as if every call made one object only."""
    if not any(isinstance(part, Attribute) and part.name.startswith(ANOTHER) for part in descendants(one)):
        return one
    if isinstance(one, Attribute) and one.name.startswith(ANOTHER):
        return without_identity(one.value)
    return rebuilt(one, without_identity)
