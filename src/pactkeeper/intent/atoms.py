"""Atoms, molecules and commitments as values; status is derived here and nowhere else.

Molecules can contain molecules: this module collects what one contains in total and reports nesting that is not
allowed.

It also works out which atom replaces which, and from when. A successor takes over once it, or a successor of its own,
is at least as firm as what it replaces. So a committed atom stays in force until a committed one takes its place, in
every state the files can be in (docs/decisions/0006-a-successor-takes-over-when-it-is-as-firm.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, get_args

from pactkeeper.ledger.canonical import digest

Category = Literal["functional", "security", "performance", "reliability", "usability", "maintainability"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
WrittenStatus = Literal["proposed", "draft", "abandoned"]
Status = Literal["proposed", "draft", "abandoned", "committed", "superseded"]
Source = Literal["person", "reconciliation", "intake", "agent", "ticket"]
SOURCES: tuple[Source, ...] = get_args(Source)
# What a commitment's file can claim about itself; only CI can say that CI verified a signature.
Pledge = Literal["terminal", "session", "signed"]
PLEDGES: tuple[Pledge, ...] = get_args(Pledge)


@dataclass(frozen=True, slots=True)
class Frozen:
    """The part of an atom that a commitment freezes."""

    intent: str
    category: Category = "functional"
    outcomes: tuple[str, ...] = ()
    falsified_by: tuple[str, ...] = ()

    def hash(self) -> str:
        """The frozen hash: of intent, category, outcomes and falsifiers."""
        return _hash(self)


@lru_cache(maxsize=50_000)  # an atom and its commitment hold the same words, and several rules ask for both
def _hash(words: Frozen) -> str:
    return digest(
        {
            "intent": words.intent,
            "category": words.category,
            "outcomes": list(words.outcomes),
            "falsified_by": list(words.falsified_by),
        }
    )


@dataclass(frozen=True, slots=True)
class Atom:
    """One observable behaviour that somebody declared.

    `path` and `line` locate its table in the pact; they are for display and never part of the content. `reason` says
    why an abandoned atom was given up.
    """

    id: str
    intent: str
    category: Category = "functional"
    outcomes: tuple[str, ...] = ()
    falsified_by: tuple[str, ...] = ()
    status: WrittenStatus = "draft"
    origin: str | None = None
    source: Source = "person"
    recommendation: str | None = None
    tags: tuple[str, ...] = ()
    supersedes: str | None = None
    reason: str | None = None
    path: str = ""
    line: int = 0

    def frozen(self) -> Frozen:
        """The part that a commitment freezes."""
        return Frozen(self.intent, self.category, self.outcomes, self.falsified_by)

    def frozen_hash(self) -> str:
        """Hash what a commitment freezes."""
        return self.frozen().hash()


Lens = Literal["feature", "user_story", "journey", "epic", "capability", "release", "change_set"]
LENSES: tuple[Lens, ...] = get_args(Lens)


@dataclass(frozen=True, slots=True)
class Molecule:
    """A named group of atoms that a person maintains; computed groupings are views and never stored.

    `molecules` are the molecules it contains. `lens` is the perspective from which it groups its atoms; a `change_set`
    holds what is reviewed and committed together, and `tests` are the tests that such a change affects.
    """

    id: str
    name: str
    atoms: tuple[str, ...]
    description: str = ""
    lens: Lens | None = None
    molecules: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question about an atom with its answer; it explains the atom's words and never changes them."""

    id: str
    atom: str
    question: str
    answer: str
    by: str
    at: str
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Commitment:
    """The immutable human act that froze atoms, or that gave up frozen ones: then `abandons` says why.

    By atom id, `frozen` holds the frozen hash at that moment, `words` the words themselves, and `replaces` the atom
    that each new one replaces. `after` holds the commitments that this one was made on top of, with their hashes.
    """

    id: str
    frozen: Mapping[str, str] = field(hash=False)
    by: str
    at: str
    assurance: Pledge = "terminal"
    signature: str | None = None
    overrides: Mapping[str, str] | None = field(default=None, hash=False)
    words: Mapping[str, Frozen] = field(default_factory=dict, hash=False)
    replaces: Mapping[str, str] = field(default_factory=dict, hash=False)
    after: Mapping[str, str] = field(default_factory=dict, hash=False)
    abandons: str | None = None
    path: str = ""
    line: int = 0


MOST_LEVELS: Final = 10


def atoms_within(name: str, molecules: Mapping[str, Molecule]) -> tuple[str, ...]:
    """Return the ids of all atoms of a molecule and of those it contains, each once, its own first."""
    return tuple(dict.fromkeys(atom for one in molecules_within(name, molecules) for atom in molecules[one].atoms))


def molecules_within(name: str, molecules: Mapping[str, Molecule]) -> tuple[str, ...]:
    """Return the ids of a molecule and of all it contains at any depth, each once, outer before inner."""
    found = [name]
    for one in found:
        found.extend(inner for inner in molecules[one].molecules if inner in molecules and inner not in found)
    return tuple(found)


def nesting_problems(molecules: Mapping[str, Molecule]) -> Iterator[tuple[Molecule, str]]:
    """Yield every molecule that contains itself, and every one nested more than `MOST_LEVELS` levels deep."""
    levels = _levels(molecules)
    for name, molecule in molecules.items():
        if name not in levels and any(name in molecules_within(one, molecules) for one in _inner(molecule, molecules)):
            yield molecule, f"{name} holds itself, directly or over other molecules"
        elif levels.get(name, 0) > MOST_LEVELS:
            yield molecule, f"{name} holds molecules over {levels[name]} levels, itself included; at most {MOST_LEVELS}"


def _inner(molecule: Molecule, molecules: Mapping[str, Molecule]) -> Iterator[str]:
    return (name for name in molecule.molecules if name in molecules)


def _levels(molecules: Mapping[str, Molecule]) -> dict[str, int]:
    """Return each molecule's number of levels, 1 if it contains none; those in or around a cycle are left out."""
    outer: dict[str, list[str]] = {}
    waits: dict[str, int] = {}
    for name, molecule in molecules.items():
        inner = set(_inner(molecule, molecules))
        waits[name] = len(inner)
        for one in inner:
            outer.setdefault(one, []).append(name)
    levels = {name: 1 for name, number in waits.items() if not number}
    ready = list(levels)
    for name in ready:
        for one in outer.get(name, ()):
            waits[one] -= 1
            if not waits[one]:
                levels[one] = 1 + max(levels[inner] for inner in _inner(molecules[one], molecules))
                ready.append(one)
    return levels


Standing = Literal["abandoned", "proposed", "draft", "committed"]
FIRMNESS: Final[Mapping[Standing, int]] = {"abandoned": 0, "proposed": 1, "draft": 2, "committed": 3}


@dataclass(frozen=True, slots=True)
class Succession:
    """`claims` maps each atom to be replaced to all claimants, the strongest first.

    `heirs` maps every replaced atom to the one in force at the end of its chain. Abandoned atoms claim nothing.
    """

    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    heirs: Mapping[str, str] = field(default_factory=dict)


def succession(atoms: Mapping[str, Atom], committed: Collection[str]) -> Succession:
    """Work out which atom replaces which; `committed` are the ids that a commitment froze."""
    claimants = [
        atom
        for atom in atoms.values()
        if atom.supersedes in atoms and _firmness(atom, committed) > FIRMNESS["abandoned"]
    ]
    if not claimants:
        return Succession()
    reach = _reach(claimants, atoms, committed)
    strength = {one.id: max(_firmness(one, committed), reach.get(one.id, 0)) for one in claimants}
    claims: dict[str, list[str]] = {}
    for one in sorted(claimants, key=lambda one: (-strength[one.id], one.id)):
        claims.setdefault(one.supersedes or "", []).append(one.id)
    replaced = {name for name in claims if reach[name] >= _firmness(atoms[name], committed)}
    heirs = {name: heir for name in replaced if (heir := _heir(name, claims, replaced)) is not None}
    return Succession({name: tuple(found) for name, found in claims.items()}, heirs)


def predecessors(atom: str, atoms: Mapping[str, Atom]) -> Iterator[str]:
    """Yield the atoms that this one was declared to replace, directly or transitively, nearest first."""
    seen = {atom}
    name = atoms[atom].supersedes if atom in atoms else None
    while name is not None and name in atoms and name not in seen:
        seen.add(name)
        yield name
        name = atoms[name].supersedes


def _firmness(atom: Atom, committed: Collection[str]) -> int:
    return FIRMNESS["committed" if atom.id in committed else atom.status]


def _reach(claimants: Iterable[Atom], atoms: Mapping[str, Atom], committed: Collection[str]) -> dict[str, int]:
    """Return, for each atom, the firmness of the firmest atom that replaces it directly or transitively."""
    reach: dict[str, int] = {}
    for claimant in claimants:
        firmness = _firmness(claimant, committed)
        for name in predecessors(claimant.id, atoms):
            if reach.get(name, 0) >= firmness:
                break  # an earlier claimant already continued from here
            reach[name] = firmness
            if _firmness(atoms[name], committed) == FIRMNESS["abandoned"]:
                break  # claims of an abandoned atom do not count
    return reach


def _heir(name: str, claims: Mapping[str, list[str]], replaced: Collection[str]) -> str | None:
    """Follow the strongest claims to an atom that is not replaced; None in a cycle, which every reader rejects."""
    seen: set[str] = set()
    while name in replaced and name not in seen:
        seen.add(name)
        name = claims[name][0]
    return None if name in seen else name
