"""How one item of a patch looks: what would be declared, on what evidence, and where it would be written."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.doors.cli.output import bold, dim, say
from pactkeeper.operators.decide import Item
from pactkeeper.published.ops import op_lines

MOST_LINES = 6


def print_item(item: Item) -> None:
    """Print the ops about one test."""
    say(f"{bold(item.group)}  {dim(f'confidence {item.confidence}')}")
    for op in (*item.needs, *item.ops):
        for said in op_lines(op):
            say(f"  {said.text}{dim(said.aside)}")
    for line in _evidence(item):
        say(f"  {line}")


def _evidence(item: Item) -> Iterator[str]:
    found = dict.fromkeys((one.path, one.line, one.quote or one.note) for op in item.ops for one in op.evidence)
    for path, line, text in list(found)[:MOST_LINES]:
        first, *rest = text.strip().splitlines() or [""]
        yield dim(f"{path}:{line}  {first}{' …' if rest else ''}")
    if len(found) > MOST_LINES:
        yield dim(f"… and {len(found) - MOST_LINES} more lines of evidence")
