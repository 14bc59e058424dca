"""Which objects of a test are distinct although the same expression makes them: two spies, two answers of one call.

A second object of one expression is written as an attribute of that expression, `·1`, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Expression, Operation, Subscript, children, descendants
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
    """The names that hold each made object, in the order in which they came to hold it.

    `around` are the objects that fixtures, hooks and the file itself make, by what makes them and their number.
    """

    owners: dict[Expression, dict[Expression, int]] = field(default_factory=dict)
    around: set[tuple[Expression, int]] = field(default_factory=set)

    def of(self, target: Expression, held: Expression, *, around: bool) -> Expression:
        """Return what a name holds, told apart from what other names hold that the same call or loop made."""
        if not is_made(held):
            return held
        known = self.owners.setdefault(held, {})
        serial = known.setdefault(target, len(known))
        if around:
            self.around.add((held, serial))
        return _numbered(held, serial)

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
        told = [
            fact if root is not None and root[0] in kept else _plain(fact)
            for fact, root in zip(found, roots, strict=True)
        ]
        fewer = self._without_silent(_said(found, twins))
        return [_over(fact, lambda one: _renamed(one, fewer)) for fact in told] if fewer else told

    def _without_silent(self, seen: Mapping[Expression, set[str]]) -> Mapping[Expression, Expression]:
        """Return objects by other numbers, which leave out what is made around the test and asserted of nowhere."""
        found: dict[Expression, Expression] = {}
        for made, names in seen.items():
            said = {int(name.removeprefix(ANOTHER) or 0) for name in names}
            silent = [at for one, at in self.around if one == made and at not in said]
            for serial in said:
                number = serial - sum(at < serial for at in silent)
                found |= {_numbered(made, serial): _numbered(made, number)} if number < serial else {}
        return found


def _said(facts: Iterable[Fact], twins: set[Expression]) -> Mapping[Expression, set[str]]:
    """Return which objects of each expression that makes several are asserted of, on either side."""
    said: dict[Expression, set[str]] = {}
    pending = [term for fact in facts for term in (fact.claim.subject, fact.claim.object) if term is not None]
    while pending:
        one = pending.pop()
        if isinstance(one, Attribute) and one.name.startswith(ANOTHER):
            said.setdefault(one.value, set()).add(one.name)
            pending.extend(children(one.value))
        else:
            if one in twins:
                said.setdefault(one, set()).add("")
            pending.extend(children(one))
    return said


def _numbered(made: Expression, serial: int) -> Expression:
    return Attribute(made, f"{ANOTHER}{serial}") if serial else made


def _renamed(one: Expression, names: Mapping[Expression, Expression]) -> Expression:
    return names[one] if one in names else rebuilt(one, lambda part: _renamed(part, names))


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
    return _over(fact, without_identity)


def _over(fact: Fact, spelled: Callable[[Expression], Expression]) -> Fact:
    claim = fact.claim
    about = None if claim.object is None else spelled(claim.object)
    other = replace(claim, subject=spelled(claim.subject), object=about)
    if other.subject == other.object or other == claim:
        return fact  # that two objects are equal says more than that one equals itself
    return replace(fact, claim=other, conditions=tuple(map(spelled, fact.conditions)))


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
