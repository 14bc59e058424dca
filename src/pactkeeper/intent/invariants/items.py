"""The subjects of a project's rule, each with the atoms and tests it is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.atoms import Atom, Commitment, Molecule
from pactkeeper.intent.invariants.rule import PENDING, Case
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Invariant, Subject
from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.tests import file_of


@dataclass(frozen=True, slots=True)
class RuleItem:
    """One subject of a rule, its place, and what it is about; `commitment` is set if the subject is one.

    `origins` are what its atoms came from; empty for a test, whose place is its own.
    """

    id: str
    path: str
    line: int
    atoms: tuple[Atom, ...]
    tests: tuple[LinkedTest, ...]
    origins: tuple[str, ...] = ()
    commitment: Commitment | None = None

    @property
    def homes(self) -> frozenset[str]:
        """The files its atoms came from, as they declare."""
        return frozenset(map(file_of, self.origins))

    def acts(self, case: Case) -> list[tuple[Commitment, ...]]:
        """Return the commitments of each of its atoms, or the commitment itself."""
        return [(self.commitment,)] if self.commitment else [case.acts_of(atom.id) for atom in self.atoms]


def items_of(case: Case, every: Subject) -> Iterator[RuleItem]:
    """Yield every subject of one kind in scope, in a fixed order."""
    return _ITEMS[every](case)


def _atoms(case: Case) -> Iterator[RuleItem]:
    atoms = case.atoms if case.facts.commit else case.pact.atoms.values()
    for atom in atoms:
        yield RuleItem(atom.id, atom.path, atom.line, (atom,), case.tests_of(atom.id), _origins((atom,)))


def _tests(case: Case) -> Iterator[RuleItem]:
    scope = {atom.id for atom in case.atoms} if case.facts.commit else None
    for entry in case.facts.linked or ():
        named = entry.atoms(LIVE_LINKS)
        if scope is None or not scope.isdisjoint(named):
            yield RuleItem(entry.test.id, entry.test.file, entry.test.name_line, _known(case, named), (entry,))


def _molecules(case: Case) -> Iterator[RuleItem]:
    """Yield molecules, but none for a commit, which they never block (R004)."""
    molecules: Iterable[Molecule] = () if case.facts.commit else case.pact.molecules.values()
    for one in molecules:
        atoms = _known(case, one.atoms)
        yield RuleItem(one.id, one.path, one.line, atoms, _tests_of(case, atoms), _origins(atoms))


def _commitments(case: Case) -> Iterator[RuleItem]:
    for one in case.pact.commitments.values():
        if (one.id == PENDING) == (case.facts.commit is not None):
            atoms = _known(case, one.frozen)
            yield RuleItem(one.id, one.path, one.line, atoms, _tests_of(case, atoms), _origins(atoms), one)


def _known(case: Case, names: Iterable[str]) -> tuple[Atom, ...]:
    return tuple(case.pact.atoms[name] for name in names if name in case.pact.atoms)


def _origins(atoms: Iterable[Atom]) -> tuple[str, ...]:
    return tuple(atom.origin for atom in atoms if atom.origin)


def _tests_of(case: Case, atoms: Iterable[Atom]) -> tuple[LinkedTest, ...]:
    found = {entry.test.id: entry for atom in atoms for entry in case.tests_of(atom.id)}
    return tuple(found.values())


_ITEMS: Final[Mapping[Subject, Callable[[Case], Iterator[RuleItem]]]] = {
    "atom": _atoms,
    "test": _tests,
    "molecule": _molecules,
    "commitment": _commitments,
}


Wanted = Collection[str] | str
Condition = Callable[[Case, RuleItem], bool]


def selects(rule: Invariant) -> Condition:
    """Return a predicate: whether the rule applies to an item; retired atoms only if `status` names them."""
    chosen = [_CONDITIONS[name](wanted) for name, wanted in rule.where.items()]
    if rule.every == "atom" and "status" not in rule.where:
        chosen.append(lambda case, item: case.pact.is_live(item.id))
    return lambda case, item: all(condition(case, item) for condition in chosen)


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
    """Compare the date of the first commitment as written, in the committer's time zone."""
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
