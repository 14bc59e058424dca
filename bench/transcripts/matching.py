"""Match findings with labels: by the characters they share, and by the fields that must agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bench.transcripts.labels import Span, Wanted
from pactkeeper.intent.conversation import Artifact

ENOUGH: Final = 0.5  # of the characters that either has


@dataclass(slots=True)
class Tally:
    """How many were found rightly, found wrongly, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    overlaps: list[float] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count another one in."""
        self.right += other.right
        self.wrong += other.wrong
        self.missed += other.missed
        self.overlaps += other.overlaps

    @property
    def row(self) -> str:
        """Wanted, found, precision, recall and mean overlap as cells of a table."""
        wanted, found = self.right + self.missed, self.right + self.wrong
        mean = f"{sum(self.overlaps) / len(self.overlaps):.2f}" if self.overlaps else "–"
        return f"{wanted} | {found} | {_share(self.right, found)} | {_share(self.right, wanted)} | {mean}"


def _share(some: int, of: int) -> str:
    return f"{some / of:.2f}" if of else "–"


@dataclass(frozen=True, slots=True)
class Matched:
    """What became of one conversation's artifacts; each missed label and each artifact that no label asks for."""

    tally: Tally
    missed: tuple[Wanted, ...]
    wrong: tuple[Artifact, ...]


def match(wanted: Sequence[Wanted], found: Sequence[Artifact]) -> Matched:
    """Give every label the artifact that overlaps it most, each artifact to one label at most.

    No label asks for statements: what they are worth shows in the conflicts that they lead to.
    """
    left = [one for one in found if one.type != "statement"]
    tally, missed = Tally(), []
    for one in sorted(wanted, key=lambda label: label.optional):
        overlap, at = max(((_likeness(one, artifact), at) for at, artifact in enumerate(left)), default=(0.0, 0))
        if overlap >= ENOUGH:
            left.pop(at)
            if not one.optional:
                tally.right += 1
                tally.overlaps.append(overlap)
        elif not one.optional:
            tally.missed += 1
            missed.append(one)
    tally.wrong = len(left)
    return Matched(tally, tuple(missed), tuple(left))


def _likeness(wanted: Wanted, found: Artifact) -> float:
    """What both share of what either has, from 0 to 1; 0 where type or facts differ."""
    if wanted.type != found.type or any(_fact(found, key) != value for key, value in wanted.facts.items()):
        return 0.0
    if wanted.type in {"event", "error_pattern"}:
        return float((found.excerpts[0].entry, found.excerpts[0].block) == wanted.span[:2])
    return max((shared(wanted.span, (one.entry, one.block, one.first, one.last)) for one in found.excerpts), default=0)


def _fact(found: Artifact, key: str) -> object:
    return found.update.change if key == "change" and found.update else found.facts.get(key)


def shared(one: Span, other: Span) -> float:
    """The characters that two spans of one block share, of those that either has."""
    if one[:2] != other[:2]:
        return 0.0
    both = min(one[3], other[3]) - max(one[2], other[2])
    return max(0, both) / max(1, max(one[3], other[3]) - min(one[2], other[2]))
