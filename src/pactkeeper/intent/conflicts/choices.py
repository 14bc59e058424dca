"""What a person can do about atoms in conflict; a committed atom is replaced where another one could be given up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.pact import Pact


def choices_apart(atoms: Sequence[Atom], pact: Pact) -> tuple[str, ...]:
    """For atoms that cannot all hold."""
    return (*_ends(atoms, pact), *_wordings(atoms, pact, "say when each holds"))


def choices_together(atoms: Sequence[Atom], pact: Pact) -> tuple[str, ...]:
    """For atoms that say the same."""
    return (*_ends(atoms, pact), *_wordings(atoms, pact, "say in which they differ"))


def _ends(atoms: Sequence[Atom], pact: Pact) -> Iterator[str]:
    """Ways that leave one of them in force."""
    frozen = [atom.id for atom in atoms if pact.is_committed(atom.id)]
    free = [atom.id for atom in atoms if not pact.is_committed(atom.id)]
    if free:
        yield f"one is enough: pk atom abandon {free[0]} --reason …{_or(free[1:])}"
    if frozen and free:
        yield f"the new words take over: pk atom supersede {frozen[0]} {free[0]}"
    if len(frozen) > 1:
        yield f"one text says what holds of all: pk atom supersede {frozen[0]} --edit{_or(frozen[1:])}"


def _wordings(atoms: Sequence[Atom], pact: Pact, why: str) -> Iterator[str]:
    free = [atom.id for atom in atoms if not pact.is_committed(atom.id)]
    if free:
        yield f"all of them hold, {why}: pk atom edit {free[0]}{_or(free[1:])}"
    else:
        yield f"all of them hold, {why}: pk atom clarify {atoms[0].id} … --answer …{_or([one.id for one in atoms[1:]])}"


def _or(names: Sequence[str]) -> str:
    return f" (or {', '.join(names)})" if names else ""
