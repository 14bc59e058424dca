"""What names what across the files of a pact: references to nothing, and things that contain or replace themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pactkeeper.errors import Problem
from pactkeeper.intent.atoms import Atom, Clarification, Molecule
from pactkeeper.intent.molecules import nesting_problems


def circles(atoms: Mapping[str, Atom], molecules: Mapping[str, Molecule]) -> Iterator[Problem]:
    """Name every atom that replaces itself, and every molecule that holds itself or is nested too deep."""
    yield from _replaced_by_themselves(atoms)
    yield from (Problem(one.path, one.line, message) for one, message in nesting_problems(molecules))


def dangling(
    atoms: Mapping[str, Atom], molecules: Mapping[str, Molecule], clarifications: Mapping[str, Clarification]
) -> Iterator[Problem]:
    """Name every reference to an atom or a molecule that no file declares.

    A link or a commitment that names an unknown atom is a finding of check instead: the files read, the team disagrees.
    """
    for atom in atoms.values():
        if atom.supersedes is not None and atom.supersedes not in atoms:
            yield _dangling(atom, "supersedes", atom.supersedes)
    for molecule in molecules.values():
        yield from (_dangling(molecule, "groups", name) for name in molecule.atoms if name not in atoms)
        yield from (_dangling(molecule, "holds", name) for name in molecule.molecules if name not in molecules)
    for one in clarifications.values():
        if one.atom not in atoms:
            yield _dangling(one, "clarifies", one.atom)


def _dangling(node: Atom | Molecule | Clarification, verb: str, name: str) -> Problem:
    return Problem(node.path, node.line, f"{node.id} {verb} {name!r}, which no file declares")


def _replaced_by_themselves(atoms: Mapping[str, Atom]) -> Iterator[Problem]:
    cleared: set[str] = set()
    for start in atoms.values():
        trail: dict[str, None] = {}
        atom: Atom | None = start
        while atom is not None and atom.id not in cleared and atom.id not in trail:
            trail[atom.id] = None
            atom = atoms.get(atom.supersedes) if atom.supersedes is not None else None
        if atom is not None and atom.id in trail:
            yield Problem(atom.path, atom.line, f"{atom.id} supersedes itself, directly or over other atoms")
        cleared.update(trail)
