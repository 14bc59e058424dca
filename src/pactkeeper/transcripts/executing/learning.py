"""What people's answers say about the program: how often each kind of action was right, and which threshold would help.

Nothing changes by itself: a person writes the suggested threshold into the settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.actions import HIGH, LOW
from pactkeeper.intent.deeds import Deed
from pactkeeper.settings.actions import NEVER

# Answers below which nothing is concluded, and the percentage of right ones that is wanted of what is asked, and of
# what happens by itself.
ENOUGH: Final = 5
WANTED_ASKED: Final = 80
WANTED_AUTOMATIC: Final = 95


@dataclass(frozen=True, slots=True)
class Precision:
    """How often actions of a verb were right, asked about or by themselves; `threshold` is suggested, None for none."""

    verb: str
    kind: Literal["ask", "auto"]
    right: int
    wrong: int
    threshold: int | None = None

    @property
    def percent(self) -> int:
        """Right ones of a hundred, rounded down."""
        return self.right * 100 // (self.right + self.wrong)


def precision(deeds: Iterable[Deed]) -> tuple[Precision, ...]:
    """Count answers by verb: a yes and what was left standing are right, a no and what was taken back are wrong."""
    told: dict[tuple[str, Literal["ask", "auto"]], list[tuple[int, bool]]] = {}
    for deed in deeds:
        if deed.standing in {"done", "rejected", "undone"}:
            key = (deed.action.verb, "auto" if deed.automatic else "ask")
            told.setdefault(key, []).append((deed.action.confidence.points, deed.standing == "done"))  # type: ignore[arg-type]  # one of the two
    return tuple(_precision(verb, kind, answers) for (verb, kind), answers in sorted(told.items()))


def _precision(verb: str, kind: Literal["ask", "auto"], answers: Sequence[tuple[int, bool]]) -> Precision:
    right = sum(1 for _, well in answers if well)
    return Precision(verb, kind, right, len(answers) - right, _threshold(kind, answers))


def _threshold(kind: Literal["ask", "auto"], answers: Sequence[tuple[int, bool]]) -> int | None:
    """The lowest number of points from which answers are right often enough; None where they are anyhow, or too few."""
    wanted = WANTED_ASKED if kind == "ask" else WANTED_AUTOMATIC
    if len(answers) < ENOUGH or _share(answers) >= wanted:
        return None
    least = LOW if kind == "ask" else HIGH + 1
    for points in sorted({points for points, _ in answers if points > least}):
        above = [one for one in answers if one[0] >= points]
        if _share(above) >= wanted:
            return points
    return NEVER


def _share(answers: Sequence[tuple[int, bool]]) -> int:
    return sum(100 for _, well in answers if well) // len(answers)
