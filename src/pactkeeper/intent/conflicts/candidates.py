"""Sentences worth comparing: those that share all meaningful words except at most one each.

Every sentence is filed under its words, and under its words without each one of them. Two sentences share a block
exactly if they are that close, so the time grows with their number and not with that of their pairs.

Also what a person can do about conflicting atoms; a committed atom is superseded where another one could be abandoned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.pact import Pact
from pactkeeper.speech.words import statement

MOST_ALIKE: Final = 40  # sentences that differ in one word; more of them are a numbered list, not a conflict
_FEWEST: Final = 2  # meaningful words; a shorter sentence says too little to be compared


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of names, each sorted and unique; `left_out` counts blocks too large to be compared."""

    pairs: tuple[tuple[str, str], ...]
    left_out: int


def candidates(sentences: Mapping[str, str]) -> Candidates:
    """Pair the sentences that are similar enough to be compared."""
    blocks: dict[tuple[str, ...], list[str]] = {}
    for name, sentence in sentences.items():
        said = statement(sentence)
        bag = tuple(sorted(said.stems))
        for key in _keys(bag) if len(bag) + len(said.amounts) + len(said.literals) >= _FEWEST else ():
            blocks.setdefault(key, []).append(name)
    pairs: set[tuple[str, str]] = set()
    left_out = 0
    for names in blocks.values():
        if len(names) > MOST_ALIKE:
            left_out += 1
        elif len(names) > 1:
            pairs.update((min(pair), max(pair)) for pair in combinations(names, 2))
    return Candidates(tuple(sorted(pairs)), left_out)


def _keys(bag: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {bag[:at] + bag[at + 1 :] for at in range(len(bag))} | {("", *bag)}


def choices_apart(atoms: Sequence[Atom], pact: Pact) -> tuple[str, ...]:
    """Return the choices for atoms that cannot all hold."""
    return (*_ends(atoms, pact), *_wordings(atoms, pact, "say when each holds"))


def choices_together(atoms: Sequence[Atom], pact: Pact) -> tuple[str, ...]:
    """Return the choices for atoms that say the same."""
    return (*_ends(atoms, pact), *_wordings(atoms, pact, "say in which they differ"))


def _ends(atoms: Sequence[Atom], pact: Pact) -> Iterator[str]:
    """Yield the choices that leave one of them in force."""
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
