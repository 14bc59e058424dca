"""Score answers against labels; pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bench.eval.cases import Case

BINS: Final = ((0, 49), (50, 69), (70, 84), (85, 94), (95, 100))
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_IDENTIFIER: Final = re.compile(r"\b(?:[a-z]+[A-Z]\w*|\w+_\w+|\w+\.\w+\(|\w+\(\))")
_SMALL: Final = frozenset(str(one) for one in range(13))


@dataclass(frozen=True, slots=True)
class Said:
    """What an answerer said of one test; `taken` tells whether its own rules or our checks let it pass as an answer.

    `confidence` is 0 to 100; `objections` are what the rules for words say against it.
    """

    intent: str
    outcomes: tuple[str, ...]
    confidence: int
    taken: bool
    objections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One test with its label and what was said of it."""

    case: Case
    said: Said

    @property
    def worded(self) -> bool:
        """Whether it can be worded at all."""
        return self.case.intent is not None

    @property
    def facets(self) -> tuple[int, int]:
        """How many of the facets of the intent are said, and how many there are."""
        parts = self.case.intent.parts if self.case.intent is not None else ()
        return sum(part.said_in(self.said.intent) for part in parts), len(parts)

    @property
    def adequate(self) -> bool:
        """All facets are said, and the rules for words have nothing against it."""
        said, there = self.facets
        return self.worded and said == there and not self.said.objections

    @property
    def right_outcomes(self) -> int:
        """How many of the stated outcomes a label knows."""
        return sum(any(label.said_in(one) for label in self.case.outcomes) for one in self.said.outcomes)

    @property
    def known_outcomes(self) -> int:
        """How many labelled outcomes are stated."""
        return sum(any(label.said_in(one) for one in self.said.outcomes) for label in self.case.outcomes)

    @property
    def inventions(self) -> tuple[str, ...]:
        """Values that are not in the source, identifiers, and claims that the label rules out."""
        text = "\n".join((self.said.intent, *self.said.outcomes))
        return (*_values(text, self.case.source), *_identifiers(text, self.case.source), *_claims(self.case, text))


def _values(text: str, source: str) -> list[str]:
    quoted = [one[0][1:-1].removesuffix("…") for one in _QUOTED.finditer(text)]
    numbers = [one for one in _NUMBER.findall(_QUOTED.sub(" ", text)) if one not in _SMALL]
    flat = source.replace("_", "")
    return [one for one in (*quoted, *numbers) if one not in source and one not in flat]


def _identifiers(text: str, source: str) -> list[str]:
    bare = _QUOTED.sub(" ", text)
    return [one for one in _IDENTIFIER.findall(bare) if f'"{one}' not in source and f"'{one}" not in source]


def _claims(case: Case, text: str) -> list[str]:
    return [part.alternatives[0] for part in case.never if part.said_in(text)]


def share(hits: int, of: int) -> str:
    """A share in hundredths with what it is of; a dash where there is nothing to count."""
    return f"{hits / of:.0%} ({hits}/{of})" if of else "–"


def measures(rows: Sequence[Row]) -> dict[str, str]:
    """The lines of one answerer's column."""
    taken = [one for one in rows if one.said.taken]
    left = [one for one in rows if not one.said.taken]
    fair = [one for one in taken if one.worded]
    possible = [one for one in rows if one.worded]
    return {
        "tests answered": share(len(taken), len(rows)),
        "facet recall": share(_sum(fair, lambda one: one.facets[0]), _sum(fair, lambda one: one.facets[1])),
        "adequate, of answered": share(sum(one.adequate for one in fair), len(taken)),
        "adequate, of all that can be worded": share(sum(one.adequate for one in fair), len(possible)),
        "outcome precision": share(
            _sum(fair, lambda one: one.right_outcomes), _sum(fair, lambda one: len(one.said.outcomes))
        ),
        "outcome recall": share(
            _sum(fair, lambda one: one.known_outcomes), _sum(fair, lambda one: len(one.case.outcomes))
        ),
        "hallucinating, of answered": share(sum(bool(one.inventions) for one in taken), len(taken)),
        "hallucinating, before any check": share(sum(bool(one.inventions) for one in rows), len(rows)),
        "abstention precision": share(sum(not one.worded for one in left), len(left)),
        "abstention recall": share(sum(not one.worded for one in left), len(rows) - len(possible)),
        "calibration error": _calibration(rows),
    }


def bins(rows: Sequence[Row]) -> list[tuple[str, int, int]]:
    """By confidence: the bin, how many were said in it, how many of them are adequate."""
    found = []
    for low, high in BINS:
        inside = [one for one in rows if low <= one.said.confidence <= high]
        found.append((f"{low}–{high}", len(inside), sum(one.adequate for one in inside)))
    return found


def _calibration(rows: Sequence[Row]) -> str:
    """Over the bins, weighed: how far the mean confidence is from the share that is adequate."""
    off = 0.0
    for low, high in BINS:
        inside = [one for one in rows if low <= one.said.confidence <= high]
        if inside:
            sure = sum(one.said.confidence for one in inside) / 100
            off += abs(sure - sum(one.adequate for one in inside))
    return f"{off / max(len(rows), 1):.2f}"


def _sum(rows: Iterable[Row], number: Callable[[Row], int]) -> int:
    return sum(number(one) for one in rows)
