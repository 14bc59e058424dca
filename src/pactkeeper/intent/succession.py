"""Which atom replaces which, and from when.

A successor takes over once it, or a successor of its own, stands at least as firm as what it replaces. So a committed
atom holds until a committed one takes its place, in every state that files can be in
(docs/decisions/0006-a-successor-takes-over-when-it-is-as-firm.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pactkeeper.intent.atoms import Atom

Standing = Literal["abandoned", "proposed", "draft", "committed"]
FIRMNESS: Final[Mapping[Standing, int]] = {"abandoned": 0, "proposed": 1, "draft": 2, "committed": 3}


@dataclass(frozen=True, slots=True)
class Succession:
    """`claims` holds, by the atom that is to be replaced, all that claim to replace it, the strongest claim first.

    `heirs` holds, by every atom that is replaced, the one in force at the end of its chain. Abandoned atoms claim
    nothing.
    """

    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    heirs: Mapping[str, str] = field(default_factory=dict)


def succession(atoms: Mapping[str, Atom], committed: Collection[str]) -> Succession:
    """Work out who replaces whom; `committed` are the ids that a commitment froze."""
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
    """The atoms that this one was declared to replace, nearest first, over however many steps."""
    seen = {atom}
    name = atoms[atom].supersedes if atom in atoms else None
    while name is not None and name in atoms and name not in seen:
        seen.add(name)
        yield name
        name = atoms[name].supersedes


def _firmness(atom: Atom, committed: Collection[str]) -> int:
    return FIRMNESS["committed" if atom.id in committed else atom.status]


def _reach(claimants: Iterable[Atom], atoms: Mapping[str, Atom], committed: Collection[str]) -> dict[str, int]:
    """The firmness of the firmest atom among all that replace one, over however many steps."""
    reach: dict[str, int] = {}
    for claimant in claimants:
        firmness = _firmness(claimant, committed)
        for name in predecessors(claimant.id, atoms):
            if reach.get(name, 0) >= firmness:
                break  # whoever reached it before went on from here
            reach[name] = firmness
            if _firmness(atoms[name], committed) == FIRMNESS["abandoned"]:
                break  # what an abandoned atom claims does not count
    return reach


def _heir(name: str, claims: Mapping[str, list[str]], replaced: Collection[str]) -> str | None:
    """Follow the strongest claims to an atom that nobody replaces; None in a cycle, which no reader lets through."""
    seen: set[str] = set()
    while name in replaced and name not in seen:
        seen.add(name)
        name = claims[name][0]
    return None if name in seen else name
