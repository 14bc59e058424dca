"""Which sentences are worth comparing: those that share all words that carry meaning but at most one of each.

Every sentence is filed under its words, and under its words without each one of them. Two sentences meet in a block
exactly where they are that close, so that the time grows with their number and not with that of their pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from pactkeeper.speech.words import statement

MOST_ALIKE: Final = 40  # sentences that differ in one word alone; more of them are a numbered list and no conflict
_FEWEST: Final = 2  # words that carry meaning; a shorter sentence says too little to be compared


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of names, each in order and once; `left_out` counts blocks that are too large to be compared."""

    pairs: tuple[tuple[str, str], ...]
    left_out: int


def candidates(sentences: Mapping[str, str]) -> Candidates:
    """Pair the sentences that are close enough to be compared."""
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
