"""The keys of `where`: each says which subjects a project's rule is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.items import RuleItem
from pactkeeper.intent.invariants.rule import Case
from pactkeeper.intent.pact import Invariant
from pactkeeper.intent.patterns import matcher

Wanted = Collection[str] | str
Condition = Callable[[Case, RuleItem], bool]
RETIRED: Final = frozenset({"superseded", "abandoned"})


def selects(rule: Invariant) -> Condition:
    """A test whether the rule is about an item; retired atoms are left out unless `status` names them."""
    chosen = [_CONDITIONS[name](wanted) for name, wanted in rule.where.items()]
    if rule.every == "atom" and "status" not in rule.where:
        chosen.append(_in_force)
    return lambda case, item: all(condition(case, item) for condition in chosen)


def _in_force(case: Case, item: RuleItem) -> bool:
    return case.pact.status_of(item.id) not in RETIRED


def _any_atom(value: Callable[[Case, Atom], Collection[str]]) -> Callable[[Wanted], Condition]:
    def condition(wanted: Wanted) -> Condition:
        return lambda case, item: any(one in wanted for atom in item.atoms for one in value(case, atom))

    return condition


def _status(case: Case, atom: Atom) -> Collection[str]:
    return (str(case.pact.status_of(atom.id)),)


def _path(wanted: Wanted) -> Condition:
    matches = matcher(tuple(wanted))

    def condition(_case: Case, item: RuleItem) -> bool:
        return any(matches(entry.test.file) for entry in item.tests) or any(matches(home) for home in item.homes)

    return condition


def _language(wanted: Wanted) -> Condition:
    return lambda _case, item: any(entry.test.language in wanted for entry in item.tests)


def _framework(wanted: Wanted) -> Condition:
    return lambda _case, item: any(entry.test.framework in wanted for entry in item.tests)


def _by(wanted: Wanted) -> Condition:
    return lambda case, item: any(one.by in wanted for acts in item.acts(case) for one in acts)


def _since(wanted: Wanted) -> Condition:
    """The day of the first commitment, as it was written there: in the zone of who committed."""
    return lambda case, item: any(acts[0].at[:10] >= str(wanted) for acts in item.acts(case) if acts)


_CONDITIONS: Final[Mapping[str, Callable[[Wanted], Condition]]] = {
    "category": _any_atom(lambda _case, atom: (atom.category,)),
    "tag": _any_atom(lambda _case, atom: atom.tags),
    "status": _any_atom(_status),
    "source": _any_atom(lambda _case, atom: (atom.source,)),
    "path": _path,
    "language": _language,
    "framework": _framework,
    "by": _by,
    "since": _since,
}
