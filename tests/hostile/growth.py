"""How the steps that a pattern takes grow with the text."""

from __future__ import annotations

from dataclasses import dataclass

from tests.hostile.backtracking import Engine, Parsed, TooMany
from tests.hostile.near_misses import Shape, shapes
from tests.hostile.patterns import Found

FEW, MANY = 20, 40
MOST = 300_000


@dataclass(frozen=True)
class Growth:
    """A near miss with the steps for it at both lengths; the budget stands for a count that goes beyond it."""

    shape: Shape
    few: int
    many: int

    @property
    def is_linear(self) -> bool:
        """Whether twice the text takes about twice the steps: a square would take four times as many."""
        return self.many <= 2.5 * self.few or self.many - self.few <= MANY * len(self.shape.pump) * 3

    @property
    def is_square(self) -> bool:
        """Whether twice the text takes at most about four times the steps: a cube would take eight."""
        return self.many <= 5.5 * self.few


def bend(found: Found) -> Growth | None:
    """A near miss on which a pattern takes more than linear steps."""
    parsed = Parsed.of(found.pattern)
    for shape in shapes(parsed):
        grown = Growth(shape, _steps(found, parsed, shape.text(FEW)), _steps(found, parsed, shape.text(MANY)))
        if not grown.is_linear:
            return grown
    return None


def _steps(found: Found, parsed: Parsed, text: str) -> int:
    engine = Engine(parsed, text, MOST)
    try:
        return engine.search(anchored=found.anchored, whole=found.whole)
    except TooMany:
        return MOST * len(text) ** 3
