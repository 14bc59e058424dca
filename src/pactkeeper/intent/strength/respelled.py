"""The same assertion under other names: what a change renamed or has to give as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
    Raised,
    Subscript,
    children,
)
from pactkeeper.intent.strength.facts import Fact
from pactkeeper.intent.strength.matching import Match
from pactkeeper.intent.strength.terms import last_name

_MOST = 20_000  # pairs of assertions that are compared


@dataclass(frozen=True, slots=True)
class Spelling:
    """What changed definitions say of names: which are `gone`, which are `fresh`, and what calls `need` anew.

    `needs` holds by function or class the parameters without a default that it did not have: name and position.
    """

    gone: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    needs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def same(self, one: Expression | None, other: Expression | None) -> bool:
        """Whether the later term is the earlier one in the words of the change."""
        if one is None or other is None or one == other:
            return one == other
        if isinstance(one, Name | Attribute) and isinstance(other, Name | Attribute):
            return self._named(one, other)
        if type(one) is not type(other) or isinstance(one, Opaque):
            return False
        if isinstance(one, Call) and isinstance(other, Call):
            return self.same(one.function, other.function) and self._given(one.arguments, self._without(other))
        if isinstance(one, Operation | Collection | Raised | Subscript):
            return _form(one) == _form(other) and self._all(children(one), children(other))
        return False

    def _named(self, one: Name | Attribute, other: Name | Attribute) -> bool:
        if one.name != other.name and not (one.name in self.gone and other.name in self.fresh):
            return False
        if isinstance(one, Attribute) and isinstance(other, Attribute):
            return self.same(one.value, other.value)
        return isinstance(one, Name) and isinstance(other, Name)

    def _all(self, ones: Sequence[Expression], others: Sequence[Expression]) -> bool:
        return len(ones) == len(others) and all(map(self.same, ones, others))

    def _given(self, ones: Sequence[Argument], others: Sequence[Argument]) -> bool:
        """The same arguments, some of which may be given by name now, or by place."""
        if len(ones) != len(others):
            return False
        names = {each.name for each in ones if each.name}
        pairs = list(zip(ones, others, strict=True))
        if names and names == {each.name for each in others if each.name}:
            by_name = {each.name: each.value for each in others}
            pairs = [(one, Argument(by_name[one.name], one.name) if one.name else other) for one, other in pairs]
        return all(
            (one.name == other.name or None in {one.name, other.name}) and self.same(one.value, other.value)
            for one, other in pairs
        )

    def _without(self, call: Call) -> Sequence[Argument]:
        """The arguments of a call save for those that its function needs anew."""
        needed = self.needs.get(last_name(call), {})
        places = set(needed.values())
        return [
            each
            for at, each in enumerate(call.arguments)
            if not (each.name in needed or (each.name is None and at in places))
        ]

    def same_fact(self, one: Fact, other: Fact) -> bool:
        """Whether one assertion is another one in the words of the change, under the same conditions."""
        return (
            (one.awaited, len(one.conditions)) == (other.awaited, len(other.conditions))
            and self._same_claim(one.claim, other.claim)
            and self._all(one.conditions, other.conditions)
        )

    def _same_claim(self, one: Claim, other: Claim) -> bool:
        return (
            (one.relation, one.negated, one.each) == (other.relation, other.negated, other.each)
            and self.same(one.subject, other.subject)
            and self.same(one.object, other.object)
            and self._given(one.qualifiers, other.qualifiers)
            and len(one.alternatives) == len(other.alternatives)
            and all(map(self._same_claim, one.alternatives, other.alternatives))
        )


AS_IT_WAS = Spelling()


def _form(one: Expression) -> str:
    return one.operator if isinstance(one, Operation) else one.kind if isinstance(one, Collection) else ""


def respell(matches: Sequence[Match], spelling: Spelling) -> None:
    """Take what only has another spelling now out of what was lost and gained, each assertion once."""
    fresh = [(match, fact) for match in matches if match.pair.old is None for fact in match.gained]
    for match in matches:
        own = [(match, fact) for fact in match.gained]
        offered = own or (fresh if match.pair.new is None else [])
        if len(match.lost) * len(offered) <= _MOST:
            match.lost = list(_left(match.lost, offered, spelling))


def _left(lost: Iterable[Fact], offered: list[tuple[Match, Fact]], spelling: Spelling) -> Iterator[Fact]:
    for fact in lost:
        at = next((at for at, (_, other) in enumerate(offered) if spelling.same_fact(fact, other)), None)
        if at is None:
            yield fact
        else:
            match, other = offered.pop(at)
            match.gained = [one for one in match.gained if one is not other]
