"""What the reader of a coverage report gathers about one file before it is whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from pactkeeper.intent.coverage import FunctionCoverage


@dataclass(slots=True)
class Hits:
    """How often each line of a file ran, summed over all places of a report that speak of it."""

    lines: dict[int, int] = field(default_factory=dict)
    functions: list[FunctionCoverage] = field(default_factory=list)

    def add(self, line: int, count: int) -> None:
        """Add runs of a line; less than none counts as none."""
        self.lines[line] = self.lines.get(line, 0) + max(count, 0)
