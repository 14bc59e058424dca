"""What a project's rule ranges over, each subject with the atoms and tests it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.atoms import Atom, Commitment, Molecule
from pactkeeper.intent.invariants.rule import PENDING, Case
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Subject
from pactkeeper.intent.tests import file_of


@dataclass(frozen=True, slots=True)
class RuleItem:
    """One subject of a rule, where it stands, and what it is about; `commitment` is the subject where it is one.

    `origins` are what its atoms came from, of a test none: that is where it is.
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
        """The files that its atoms say they came from."""
        return frozenset(map(file_of, self.origins))

    def acts(self, case: Case) -> list[tuple[Commitment, ...]]:
        """The commitments of each of its atoms; of a commitment itself."""
        return [(self.commitment,)] if self.commitment else [case.acts_of(atom.id) for atom in self.atoms]


def items_of(case: Case, every: Subject) -> Iterator[RuleItem]:
    """Everything of one kind that is in scope, in a fixed order."""
    return _ITEMS[every](case)


def _atoms(case: Case) -> Iterator[RuleItem]:
    atoms = case.atoms if case.facts.commit else case.pact.atoms.values()
    for atom in atoms:
        yield RuleItem(atom.id, atom.path, atom.line, (atom,), case.tests_of(atom.id), _origins((atom,)))


def _tests(case: Case) -> Iterator[RuleItem]:
    scope = {atom.id for atom in case.atoms} if case.facts.commit else None
    for entry in case.facts.linked or ():
        named = dict.fromkeys(link.atom for link in entry.links if link.state in LIVE_LINKS)
        if scope is None or not scope.isdisjoint(named):
            yield RuleItem(entry.test.id, entry.test.file, entry.test.name_line, _known(case, named), (entry,))


def _molecules(case: Case) -> Iterator[RuleItem]:
    """No molecule stands in the way of a commit (R004)."""
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
