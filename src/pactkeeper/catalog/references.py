"""What names what across the files of a pact: references to nothing, and things that contain or replace themselves.

A merge of two sound branches can bring each of them about, so none keeps a pact from being read: what holds such a
reference is read as if it had none, and `pk check` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pactkeeper.intent.atoms import Atom, Clarification, Molecule
from pactkeeper.intent.contested import Dangling
from pactkeeper.intent.molecules import nesting_problems

Atoms = dict[str, Atom]
Molecules = dict[str, Molecule]


def sound_atoms(atoms: Atoms) -> tuple[Atoms, list[Dangling]]:
    """The atoms without successions that lead to nothing or back to themselves."""
    found = [_dangling(atom, f"supersedes {atom.supersedes!r}, which no file declares") for atom in _lost(atoms)]
    sound = {**atoms, **{atom.id: replace(atom, supersedes=None) for atom in _lost(atoms)}}
    for atom in _replaced_by_themselves(sound):
        found.append(_dangling(atom, "supersedes itself, directly or over other atoms"))
        sound[atom.id] = replace(atom, supersedes=None)
    return sound, found


def sound_molecules(molecules: Molecules, atoms: Mapping[str, Atom]) -> tuple[Molecules, list[Dangling]]:
    """The molecules without members that do not exist, and without those that would nest them in cycles."""
    found: list[Dangling] = []
    sound: Molecules = {}
    for name, one in molecules.items():
        found += (_dangling(one, f"groups {atom!r}, which no file declares") for atom in one.atoms if atom not in atoms)
        found += (
            _dangling(one, f"holds {inner!r}, which no file declares")
            for inner in one.molecules
            if inner not in molecules
        )
        kept = tuple(atom for atom in one.atoms if atom in atoms)
        inside = tuple(inner for inner in one.molecules if inner in molecules)
        sound[name] = replace(one, atoms=kept, molecules=inside)
    for one, message in list(nesting_problems(sound)):
        found.append(_dangling(one, message.removeprefix(f"{one.id} ")))
        sound[one.id] = replace(one, molecules=())
    return sound, found


def unexplained(clarifications: Mapping[str, Clarification], atoms: Mapping[str, Atom]) -> Iterator[Dangling]:
    """Clarifications of atoms that no file declares."""
    for one in clarifications.values():
        if one.atom not in atoms:
            yield _dangling(one, f"clarifies {one.atom!r}, which no file declares")


def _dangling(node: Atom | Molecule | Clarification, message: str) -> Dangling:
    return Dangling(node.path, node.line, node.id, message)


def _lost(atoms: Mapping[str, Atom]) -> list[Atom]:
    return [atom for atom in atoms.values() if atom.supersedes is not None and atom.supersedes not in atoms]


def _replaced_by_themselves(atoms: Mapping[str, Atom]) -> list[Atom]:
    """One atom of every cycle: the one at which following the successions from the first atom comes round."""
    cleared: set[str] = set()
    found: list[Atom] = []
    for start in atoms.values():
        trail: dict[str, None] = {}
        atom: Atom | None = start
        while atom is not None and atom.id not in cleared and atom.id not in trail:
            trail[atom.id] = None
            atom = atoms.get(atom.supersedes) if atom.supersedes is not None else None
        if atom is not None and atom.id in trail:
            found.append(atom)
        cleared.update(trail)
    return found
