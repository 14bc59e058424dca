"""Which value a name means: what is claimed of one value of a name must not read as if it was claimed of another."""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.intent.claims import Claim, Expression, Name, names_in

Meant = tuple[str, int, Expression | None]
"""One value: the name that has it, which of the name's values it is, and what that is where it is known."""


@dataclass(frozen=True, slots=True)
class Said:
    """A claim's sentence, what its names hold, and the words for those of its names that are spoken of."""

    claim: Claim
    sentence: str
    held: Mapping[str, Expression]
    words: Mapping[str, str]


def confused(said: Sequence[Said]) -> list[frozenset[str]]:
    """The names of each claim whose words mean another value in another claim.

    A sentence that is said of every value of its words confuses nothing: it holds whichever is meant. Two names with
    the same words are taken for one thing where nothing is known of what one of them holds.
    """
    turning = {name for one in said for name, _ in one.claim.turns}
    meant = [{word: _meant(one, name, turning) for name, word in one.words.items()} for one in said]
    values: dict[str, set[Meant]] = {}
    stated: dict[tuple[str, str], set[Meant]] = {}
    for one, words in zip(said, meant, strict=True):
        for word, value in words.items():
            known = {value} if value is not None else set()
            values.setdefault(word, set()).update(known)
            stated.setdefault((word, one.sentence), set()).update(known)
    return [
        frozenset(
            name
            for name, word in one.words.items()
            if words[word] is not None and values[word] != stated[word, one.sentence]
        )
        for one, words in zip(said, meant, strict=True)
    ]


def _meant(one: Said, name: str, turning: Several[str]) -> Meant | None:
    held = one.held.get(name)
    if isinstance(held, Name):
        name, held = held.name, one.held.get(held.name)
    if held is None and name not in turning:
        return None
    return name, dict(one.claim.turns).get(name, 1), held


def names_of(claim: Claim) -> tuple[str, ...]:
    """The names that stand in a claim's subject and object, sorted."""
    return tuple(sorted(names_in([claim.subject, claim.object])))
