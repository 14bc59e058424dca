"""Molecules inside molecules: what one holds altogether, and what cannot be nested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.atoms import Molecule

MOST_LEVELS: Final = 10


def atoms_within(name: str, molecules: Mapping[str, Molecule]) -> tuple[str, ...]:
    """The ids of all atoms of a molecule and of those it holds, each once, its own first."""
    return tuple(dict.fromkeys(atom for one in molecules_within(name, molecules) for atom in molecules[one].atoms))


def molecules_within(name: str, molecules: Mapping[str, Molecule]) -> tuple[str, ...]:
    """The ids of a molecule and of all it holds over however many levels, each once, outer before inner."""
    found = [name]
    for one in found:
        found.extend(inner for inner in molecules[one].molecules if inner in molecules and inner not in found)
    return tuple(found)


def nesting_problems(molecules: Mapping[str, Molecule]) -> Iterator[tuple[Molecule, str]]:
    """Name every molecule that holds itself, and every one that is more than `MOST_LEVELS` levels deep."""
    levels = _levels(molecules)
    for name, molecule in molecules.items():
        if name not in levels and any(name in molecules_within(one, molecules) for one in _inner(molecule, molecules)):
            yield molecule, f"{name} holds itself, directly or over other molecules"
        elif levels.get(name, 0) > MOST_LEVELS:
            yield molecule, f"{name} holds molecules over {levels[name]} levels, itself included; at most {MOST_LEVELS}"


def _inner(molecule: Molecule, molecules: Mapping[str, Molecule]) -> Iterator[str]:
    return (name for name in molecule.molecules if name in molecules)


def _levels(molecules: Mapping[str, Molecule]) -> dict[str, int]:
    """How many levels each molecule has, 1 for one that holds none; those in or around a cycle are left out."""
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
